import { fetchKubeVirt } from '../client/kubevirt.ts'
import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { textOf } from '../flags.ts'
import { printed } from '../output.ts'

export const permittedDevices: CommandDefinition = {
  name: 'permitted-devices',
  summary: 'List the devices of nodes that virtual machines may have.',
  examples: [
    ['List them:', 'permitted-devices'],
    ['For a script:', 'permitted-devices --output json'],
  ],
  flags: [{ flags: '-o, --output <form>', help: 'json or yaml; a list for people unless told' }],
  run: async ({ cluster }, _, flags) => {
    const { spec } = await fetchKubeVirt(await cluster())
    const { pciHostDevices = [], usb = [], mediatedDevices = [] } = spec.configuration?.permittedHostDevices ?? {}
    const devices = {
      hostDevices: [...pciHostDevices, ...usb].map(({ resourceName }) => resourceName),
      gpuDevices: mediatedDevices.map(({ resourceName }) => resourceName),
    }
    if (textOf(flags, 'output')) return printed(devices, flags)
    if (devices.hostDevices.length + devices.gpuDevices.length === 0) {
      throw new CommandError(
        'no permitted devices: name them in spec.configuration.permittedHostDevices of the KubeVirt resource',
      )
    }
    const section = (title: string, names: readonly string[]) => [`${title}:`, ...names.map((name) => `  ${name}`)]
    return [...section('Host Devices', devices.hostDevices), ...section('GPU Devices', devices.gpuDevices)].join('\n')
  },
}
