import { CommandError } from '../command.ts'
import type { CommandDefinition, Flag, FlagValues } from '../command.ts'
import { neededText, parameters, repeated, textOf, textsOf, wholeNumber } from '../flags.ts'
import { quantity } from './quantity.ts'
import { yaml } from '../output.ts'
import { suffix } from '../random.ts'

const apiVersion = 'instancetype.kubevirt.io/v1beta1'

const commonFlags: readonly Flag[] = [
  { flags: '--name <name>', help: 'name of the object; made up unless told' },
  { flags: '--namespaced', help: 'for one namespace, not for the cluster', default: false },
]

export const createInstancetype: CommandDefinition = {
  name: 'create instancetype',
  summary: 'Print a manifest of an instance type.',
  examples: [
    [
      'Make an instance type of two CPUs and a gibibyte:',
      'create instancetype --cpu 2 --memory 1Gi | kubectl create -f -',
    ],
    [
      'With a GPU, for one namespace:',
      'create instancetype --cpu 2 --memory 1Gi --gpu devicename:nvidia.com/gpu1 --namespaced',
    ],
  ],
  flags: [
    ...commonFlags,
    { flags: '--cpu <count>', help: 'vCPUs of the guest; required', parse: wholeNumber('--cpu') },
    { flags: '--memory <quantity>', help: 'memory of the guest; required' },
    { flags: '--gpu <params>', help: 'name:NAME, devicename:RESOURCE; may be given more than once', parse: repeated },
    {
      flags: '--hostdevice <params>',
      help: 'name:NAME, devicename:RESOURCE; may be given more than once',
      parse: repeated,
    },
    { flags: '--iothreadspolicy <policy>', help: 'auto or shared' },
  ],
  run: async (_, __, flags) => {
    const cpu = flags['cpu'] as number | undefined
    if (cpu === undefined) throw new CommandError('required flag(s) "cpu" not set')
    if (cpu === 0) throw new CommandError('failed to parse "--cpu" flag: CPUs must be greater than 0')
    const ioThreadsPolicy = textOf(flags, 'iothreadspolicy')
    if (ioThreadsPolicy && !['auto', 'shared'].includes(ioThreadsPolicy)) {
      throw new CommandError(
        `failed to parse "--iothreadspolicy" flag: ${ioThreadsPolicy} is not known; use auto or shared`,
      )
    }
    const [gpus, hostDevices] = [devices(flags, 'gpu'), devices(flags, 'hostdevice')]
    const spec = {
      cpu: { guest: cpu },
      memory: { guest: quantity(neededText(flags, 'memory', 'memory'), 'memory') },
      ...(gpus.length > 0 && { gpus }),
      ...(hostDevices.length > 0 && { hostDevices }),
      ...(ioThreadsPolicy && { ioThreadsPolicy }),
    }
    return yaml(manifest(flags, 'Instancetype', spec))
  },
}

export const createPreference: CommandDefinition = {
  name: 'create preference',
  summary: 'Print a manifest of a preference.',
  examples: [
    [
      'Prefer a machine type and sockets:',
      'create preference --machine-type q35 --cpu-topology sockets | kubectl create -f -',
    ],
  ],
  flags: [
    ...commonFlags,
    { flags: '--volume-storage-class <name>', help: 'storage class of the machine’s volumes' },
    { flags: '--machine-type <type>', help: 'type of the machine' },
    { flags: '--cpu-topology <topology>', help: 'sockets, cores, threads, spread or any' },
  ],
  run: async (_, __, flags) => {
    const [storageClass, machine, topology] = ['volumeStorageClass', 'machineType', 'cpuTopology'].map((name) =>
      textOf(flags, name),
    )
    if (topology && !/^(sockets|cores|threads|spread|any|prefer(Sockets|Cores|Threads|Spread|Any))$/.test(topology)) {
      throw new CommandError(
        `failed to parse "--cpu-topology" flag: ${topology} is not known; use sockets, cores, threads, spread or any`,
      )
    }
    const spec = {
      ...(storageClass && { volumes: { preferredStorageClassName: storageClass } }),
      ...(machine && { machine: { preferredMachineType: machine } }),
      ...(topology && { cpu: { preferredCPUTopology: topology } }),
    }
    return yaml(manifest(flags, 'Preference', spec))
  },
}

function devices(flags: FlagValues, flag: string): object[] {
  return textsOf(flags, flag).map((text, index) => {
    const { name = `${flag}${index}`, devicename } = parameters(text, ['name', 'devicename'], flag)
    if (!devicename) throw new CommandError(`failed to parse "--${flag}" flag: devicename must be specified`)
    return { name, deviceName: devicename }
  })
}

function manifest(flags: FlagValues, what: 'Instancetype' | 'Preference', spec: object): object {
  const kind = `VirtualMachine${flags['namespaced'] === true ? '' : 'Cluster'}${what}`
  return { apiVersion, kind, metadata: { name: textOf(flags, 'name') ?? `${what.toLowerCase()}-${suffix()}` }, spec }
}
