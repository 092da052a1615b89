import { VirtError } from '@kubevirt-ts/service/error'
import type { Launch } from './launch.ts'

/** A program that may change the domain before it starts: asked for in an annotation, or part of a network binding. */
export interface HookSidecar {
  readonly image?: string
  readonly imagePullPolicy?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly configMap?: { readonly name: string; readonly key: string; readonly hookPath: string }
  readonly pvc?: { readonly name: string; readonly volumePath: string; readonly sharedComputePath?: string }
  /** `device-info` where it reads which devices the pod's networks have. */
  readonly downwardAPI?: string
  /** The binding plugin that the sidecar belongs to. */
  readonly bindingPlugin?: string
}

const annotation = 'hooks.kubevirt.io/hookSidecars'

/** All sidecars of a VMI, in the order of their numbers. */
export function hookSidecars({ vmi, context }: Pick<Launch, 'vmi' | 'context'>): readonly HookSidecar[] {
  return [...requested(vmi), ...ofBindings(vmi, context)]
}

function requested({ metadata }: Launch['vmi']): readonly HookSidecar[] {
  const text = metadata.annotations?.[annotation]
  if (text === undefined) return []
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list as HookSidecar[]
  } catch {
    // The error below names the annotation and the form that it needs.
  }
  throw new VirtError(
    'FailedCreateValidation',
    `annotation ${annotation} of VMI ${metadata.name} is not a JSON list of sidecars`,
  )
}

function ofBindings({ spec }: Launch['vmi'], { configuration }: Launch['context']): readonly HookSidecar[] {
  const names = new Set(spec.domain.devices.interfaces?.flatMap(({ binding }) => (binding ? [binding.name] : [])))
  return [...names].flatMap((name) => {
    const { sidecarImage: image, downwardAPI } = configuration.network?.binding?.[name] ?? {}
    if (!image) return []
    const info = downwardAPI === undefined ? {} : { downwardAPI }
    return [{ image, imagePullPolicy: configuration.imagePullPolicy, bindingPlugin: name, ...info }]
  })
}
