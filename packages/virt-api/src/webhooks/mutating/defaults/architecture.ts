import { architectureSettings } from '@kubevirt-ts/virt-config'
import type { Default } from './default.ts'

/** The architecture the cluster names as its default. */
export const architecture: Default = ({ spec }, { configuration }) => {
  spec.architecture ||= configuration.architectureConfiguration?.defaultArchitecture || 'amd64'
}

/** The machine type of the architecture. */
export const machineType: Default = ({ spec }, settings) => {
  const type = architectureSettings(settings.configuration, spec.architecture).machineType
  spec.domain.machine ??= { type: '' }
  if (type) spec.domain.machine.type ||= type
}
