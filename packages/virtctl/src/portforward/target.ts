import { virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext } from '../command.ts'
import { resourceOf } from '../client/kind.ts'
import type { Resource } from '../client/subresource.ts'

export interface ForwardTarget {
  readonly resource: Resource
  readonly name: string
  /** Undefined: the one of the flags. */
  readonly namespace: string | undefined
}

export interface ForwardedPort {
  readonly protocol: 'tcp' | 'udp'
  readonly local: number
  readonly target: number
}

/** Reads `kind/name[/namespace]`. */
export function parseTarget(text: string): ForwardTarget {
  const [kind = '', name = '', namespace, ...rest] = text.split('/')
  const resource = resourceOf(kind)
  if (!resource) throw new CommandError(`unsupported resource kind '${kind}' in ${text}; write vm/NAME or vmi/NAME`)
  if (!name || namespace === '' || rest.length > 0) {
    throw new CommandError(`target '${text}' is not complete; write ${kind}/NAME or ${kind}/NAME/NAMESPACE`)
  }
  return { resource, name, namespace }
}

const types: Readonly<Record<Resource, ResourceType<KubeObject>>> = {
  virtualmachines: virtualMachines as ResourceType<KubeObject>,
  virtualmachineinstances: virtualMachineInstances as ResourceType<KubeObject>,
}

/**
 * The target with its namespace. Scripts made for old releases write `kind/name.namespace`; since names may have dots, that
 * is only tried when there is no object of the whole name, and a warning says what to write instead.
 */
export async function placed<T extends ForwardTarget>(
  target: T,
  { client, namespace }: Cluster,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<T & { readonly namespace: string }> {
  const { name, resource } = target
  if (target.namespace !== undefined || !name.includes('.')) {
    return { ...target, namespace: target.namespace ?? namespace }
  }
  const isThere = await client.get(types[resource], { namespace, name }).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  )
  if (isThere) return { ...target, namespace }
  const at = name.lastIndexOf('.')
  const legacy = { name: name.slice(0, at), namespace: name.slice(at + 1) }
  terminal.stderr.write(
    `warning: the form name.namespace is deprecated; write kind/${legacy.name}/${legacy.namespace} instead of ${name}\n`,
  )
  return { ...target, ...legacy }
}

/** Reads `[protocol/]local[:target]`; TCP unless told, the same port unless told. */
export function parsePort(text: string): ForwardedPort {
  const [, protocol = 'tcp', local, target = local] = /^(?:(tcp|udp)\/)?(\d{1,5})(?::(\d{1,5}))?$/.exec(text) ?? []
  const [here, there] = [Number(local), Number(target)]
  if (local !== undefined && here <= 65_535 && there >= 1 && there <= 65_535) {
    return { protocol: protocol as ForwardedPort['protocol'], local: here, target: there }
  }
  throw new CommandError(`port '${text}' can not be read; write [tcp/|udp/]LOCAL[:TARGET], such as 8080:80`)
}
