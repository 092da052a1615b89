import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseDomain, writeXml, type XmlElement } from '@kubevirt-ts/domain'
import { VirtError } from '@kubevirt-ts/service'
import { pins } from '../converter/compute/cpu-pinning.ts'

const cputune = /<cputune>[\s\S]*?<\/cputune>/

/**
 * The domain as its target defines it: a guest with CPUs of its own gets those of its new pod. Undefined for all others,
 * which move as they are.
 * @param xml the running domain, as libvirt lets it migrate
 */
export function destinationXml(vmi: VirtualMachineInstance, xml: string): string | undefined {
  if (vmi.spec.domain.cpu?.dedicatedCpuPlacement !== true) return undefined
  const { targetCPUSet } = vmi.status?.migrationState ?? {}
  if (targetCPUSet === undefined)
    throw new VirtError(
      'TargetCpusUnknown',
      "the target's agent does not tell which CPUs the guest has there; it is too old to receive guests with CPUs of their own",
    )
  const ioThreads = Number(parseDomain(xml).iothreads ?? 0)
  const tune = writeXml('cputune', pins(vmi, ioThreads, targetCPUSet) as unknown as XmlElement).trimEnd()
  return xml.replace(cputune, () => tune)
}
