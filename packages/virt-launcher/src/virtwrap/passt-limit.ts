import { readFile } from 'node:fs/promises'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { presentInterfaces } from '@kubevirt-ts/vmispec'

/** All ports of TCP and UDP but for those that the kernel gives to connections are more. */
const leastFiles = 65_536

/**
 * passt opens a socket for each port of the pod when an interface lists none; libvirt would tell only that it ended.
 * @param limits of a process of this container, as the kernel shows them
 * @throws VirtError
 */
export async function checkPasst({ spec }: VirtualMachineInstance, limits = '/proc/self/limits'): Promise<void> {
  const card = presentInterfaces(spec).find(({ passtBinding, ports = [] }) => passtBinding && ports.length === 0)
  if (card === undefined) return
  const [, , most] = /^Max open files +(\S+) +(\S+)/m.exec(await readFile(limits, 'utf8')) ?? []
  if (most === undefined || most === 'unlimited' || Number(most) >= leastFiles) return
  throw new VirtError(
    'TooFewOpenFiles',
    `passt opens a socket for every port of interface ${card.name}, but a process of this node's containers may open ${most} files only; list the ports of the interface, or raise the container runtime's limit`,
  )
}
