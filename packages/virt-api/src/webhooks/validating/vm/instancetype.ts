import type { VirtualMachineInstanceSpec, VirtualMachineInstancetypeSpec } from '@kubevirt-ts/api'
import { invalid } from '../cause.ts'
import type { Cause } from '../cause.ts'

type Given = (spec: VirtualMachineInstanceSpec) => unknown
type Set = (instancetype: VirtualMachineInstancetypeSpec) => unknown

const always: Set = () => true

/** What an instance type decides, so that the VM must leave it open. */
const decided: readonly (readonly [field: string, given: Given, set: Set])[] = [
  ['domain.cpu.sockets', ({ domain }) => domain?.cpu?.sockets, always],
  ['domain.cpu.cores', ({ domain }) => domain?.cpu?.cores, always],
  ['domain.cpu.threads', ({ domain }) => domain?.cpu?.threads, always],
  ['domain.cpu.model', ({ domain }) => domain?.cpu?.model, ({ cpu }) => cpu.model],
  [
    'domain.cpu.dedicatedCpuPlacement',
    ({ domain }) => domain?.cpu?.dedicatedCpuPlacement,
    ({ cpu }) => cpu.dedicatedCPUPlacement,
  ],
  ['domain.cpu.numa', ({ domain }) => domain?.cpu?.numa, ({ cpu }) => cpu.numa],
  ['domain.cpu.realtime', ({ domain }) => domain?.cpu?.realtime, ({ cpu }) => cpu.realtime],
  ['domain.memory.guest', ({ domain }) => domain?.memory?.guest, always],
  ['domain.memory.hugepages', ({ domain }) => domain?.memory?.hugepages, ({ memory }) => memory.hugepages],
  ['domain.resources.requests.cpu', ({ domain }) => domain?.resources?.requests?.['cpu'], always],
  ['domain.resources.requests.memory', ({ domain }) => domain?.resources?.requests?.['memory'], always],
  ['domain.resources.limits.cpu', ({ domain }) => domain?.resources?.limits?.['cpu'], always],
  ['domain.resources.limits.memory', ({ domain }) => domain?.resources?.limits?.['memory'], always],
  ['domain.devices.gpus', ({ domain }) => domain?.devices?.gpus?.length, ({ gpus }) => gpus?.length],
  [
    'domain.devices.hostDevices',
    ({ domain }) => domain?.devices?.hostDevices?.length,
    ({ hostDevices }) => hostDevices?.length,
  ],
  ['domain.ioThreadsPolicy', ({ domain }) => domain?.ioThreadsPolicy, ({ ioThreadsPolicy }) => ioThreadsPolicy],
  ['domain.launchSecurity', ({ domain }) => domain?.launchSecurity, ({ launchSecurity }) => launchSecurity],
]

/** Fields of a template, as the user wrote it, that its instance type also decides. */
export const instancetypeConflicts = (
  spec: VirtualMachineInstanceSpec,
  instancetype: VirtualMachineInstancetypeSpec | undefined,
): Cause[] =>
  instancetype === undefined
    ? []
    : decided
        .filter(([, given, set]) => Boolean(given(spec)) && Boolean(set(instancetype)))
        .map(([field]) =>
          invalid(
            `spec.template.spec.${field}`,
            `VM field(s) spec.template.spec.${field} conflicts with selected instance type; leave it out`,
          ),
        )
