import type { KubeVirtConfiguration, VirtualMachineInstance, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { isSameJson } from '../../same.ts'
import type { Seen } from '../seen.ts'

/** Whether the VM names another instance type than the one that its guest was started with. */
export function isRenamed({ vm, startedSpec }: Seen): boolean {
  const named = [startedSpec?.instancetype, vm.spec.instancetype].map((each) => [each?.kind, each?.name])
  return startedSpec !== undefined && !isSameJson(named[0], named[1])
}

/**
 * Whether the guest has what another instance type says, but for sockets, memory and node selector, which a running guest
 * can get. Asked of the guest itself, whose former instance type may be gone: defaults only filled what was left open.
 */
export function keepsGuest(
  wanted: VirtualMachineInstanceSpec,
  { spec }: VirtualMachineInstance,
  configuration: KubeVirtConfiguration,
): boolean {
  return isSameJson(fixed(wanted, configuration), fixed(spec, configuration))
}

function fixed({ domain, schedulerName }: VirtualMachineInstanceSpec, configuration: KubeVirtConfiguration): unknown {
  const { cpu, memory, devices, ioThreads, ioThreadsPolicy, launchSecurity } = domain
  return {
    cores: cpu?.cores || 1,
    threads: cpu?.threads || 1,
    model: cpu?.model || configuration.cpuModel || 'host-model',
    dedicated: [cpu?.dedicatedCpuPlacement ?? false, cpu?.isolateEmulatorThread ?? false],
    nodes: [cpu?.numa, cpu?.realtime, memory?.hugepages],
    devices: [devices.gpus ?? [], devices.hostDevices ?? []],
    others: [ioThreads, ioThreadsPolicy, launchSecurity, schedulerName],
  }
}
