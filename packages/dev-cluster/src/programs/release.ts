import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { command } from '../process/command.ts'

const probeTime = 3000
const downloadTime = 300_000

/** Whether the official downloads are reachable; asks once and does not wait long. */
export async function releasesReachable(version: string): Promise<boolean> {
  try {
    const answer = await fetch(releaseUrl(version, 'kubelet.sha256'), { signal: AbortSignal.timeout(probeTime) })
    return answer.ok && /^[0-9a-f]{64}\s*$/.test(await answer.text())
  } catch {
    return false
  }
}

const releaseUrl = (version: string, file: string): string =>
  `https://dl.k8s.io/release/${version}/bin/linux/amd64/${file}`

/** Downloads the official programs of a Kubernetes version, and etcd, into a folder. */
export async function downloadRelease(version: string, etcdVersion: string, folder: string): Promise<void> {
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy']) {
    const expected = (await download(releaseUrl(version, `${name}.sha256`))).toString().trim()
    await writeFile(join(partial, name), verified(name, await download(releaseUrl(version, name)), expected), {
      mode: 0o755,
    })
  }
  await downloadEtcd(etcdVersion, partial)
  await rm(folder, { recursive: true, force: true })
  await rename(partial, folder)
}

async function downloadEtcd(version: string, folder: string): Promise<void> {
  const base = `https://github.com/etcd-io/etcd/releases/download/${version}`
  const archive = `etcd-${version}-linux-amd64.tar.gz`
  const sums = (await download(`${base}/SHA256SUMS`)).toString()
  const expected =
    sums
      .split('\n')
      .find((line) => line.endsWith(` ${archive}`))
      ?.split(' ')[0] ?? ''
  const file = join(folder, archive)
  await writeFile(file, verified(archive, await download(`${base}/${archive}`), expected))
  const member = `etcd-${version}-linux-amd64/etcd`
  await command(['tar', '-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner', member])
  await rm(file)
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(downloadTime) })
  if (!answer.ok) throw new Failure('DownloadFailed', `${url} answers with status ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

function verified(name: string, content: Buffer, expected: string): Buffer {
  const actual = createHash('sha256').update(content).digest('hex')
  if (actual === expected) return content
  throw new Failure('DownloadFailed', `${name} has the checksum ${actual}, its publisher says ${expected}`)
}
