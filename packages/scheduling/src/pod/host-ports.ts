import type { Pod } from '@kubevirt-ts/api'

/** A port of the node that a container takes; `ip` 0.0.0.0 means every address. */
export interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

/** Ports of containers and sidecars; those of other init containers are free again when the pod runs. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...sidecars, ...(spec.containers ?? [])]
    .flatMap(({ ports = [] }) => ports ?? [])
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostIP, protocol, hostPort }) => ({
      ip: hostIP || '0.0.0.0',
      protocol: protocol || 'TCP',
      port: hostPort!,
    }))
}

export function doConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false
  return a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0'
}
