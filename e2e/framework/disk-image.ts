import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadImage } from '@kubevirt-ts/dev-cluster'
import { must } from './run.ts'
import { tools } from './tools.ts'

/** Gives the cluster a container disk that holds these files below /disk, as somebody's build might make it. */
export async function diskImage(name: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const image = `localhost/kubevirt-ts/e2e-${name}:1`
  const folder = await mkdtemp(join(tmpdir(), 'disk-image-'))
  try {
    await mkdir(join(folder, 'disk'))
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, 'disk', file), content)
    const layer = await archive(folder, 'layer.tar', ['disk'])
    const diffId = `sha256:${createHash('sha256')
      .update(await readFile(layer))
      .digest('hex')}`
    const config = { architecture: 'amd64', os: 'linux', config: {}, rootfs: { type: 'layers', diff_ids: [diffId] } }
    await writeFile(join(folder, 'config.json'), JSON.stringify(config))
    const manifest = [{ Config: 'config.json', RepoTags: [image], Layers: ['layer.tar'] }]
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
    await loadImage(tools().cluster, await archive(folder, 'image.tar', ['config.json', 'manifest.json', 'layer.tar']))
    return image
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function archive(folder: string, name: string, content: readonly string[]): Promise<string> {
  const file = join(folder, name)
  await must('tar', ['-cf', file, '--owner=107', '--group=107', '--mode=a+rX', '-C', folder, ...content])
  return file
}
