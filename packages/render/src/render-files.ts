import { readFile } from 'node:fs/promises'
import type { KubeVirt, KubeVirtConfiguration } from '@kubevirt-ts/api'
import { contextWith, unknownFields } from './context.ts'
import type { RenderContext } from './context.ts'
import { documentsIn, oneWorkload } from './manifest.ts'
import type { Output } from './output.ts'
import { render } from './render.ts'
import type { Rendered } from './render.ts'

/** Paths of the files to read; `-` as `file` is standard input. */
export interface RenderFlags {
  readonly file: string
  readonly output: Output
  readonly kubevirt?: string
  readonly objects?: string
  readonly context?: string
}

/** Reads the files and renders. Throws with the file's name when one cannot be read or is not what it should be. */
export async function renderFiles({ file, output, kubevirt, objects, context }: RenderFlags): Promise<Rendered> {
  const { workload, others } = oneWorkload(await documents(file), file)
  const configuration = kubevirt && configurationOf((await documents(kubevirt))[0])
  return render({
    workload,
    output,
    objects: [...others, ...(objects ? await documents(objects) : [])],
    ...(configuration && { configuration }),
    context: contextWith(context ? await contextIn(context) : {}),
  })
}

async function documents(file: string): Promise<ReturnType<typeof documentsIn>> {
  return documentsIn(await readFile(file === '-' ? '/dev/stdin' : file, 'utf8'), file)
}

async function contextIn(file: string): Promise<Partial<RenderContext>> {
  const [document = {}] = await documents(file)
  const unknown = unknownFields(document)
  if (unknown.length > 0) throw new Error(`${file} holds fields that no context has: ${unknown.join(', ')}`)
  return document as Partial<RenderContext>
}

/** The file holds the whole resource or its configuration alone. */
function configurationOf(document: object = {}): KubeVirtConfiguration {
  const { kind, spec } = document as KubeVirt
  return (kind === 'KubeVirt' ? spec?.configuration : document) ?? {}
}
