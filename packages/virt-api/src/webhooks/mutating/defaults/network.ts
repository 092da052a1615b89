import type { Interface } from '@kubevirt-ts/api'
import type { Default } from './default.ts'

const bindings: Readonly<Record<string, Partial<Interface>>> = {
  bridge: { bridge: {} },
  masquerade: { masquerade: {} },
}

/** A VM that names no network is on the pod's, unless it says that it wants none. */
export const podNetwork: Default = ({ spec }, { configuration }) => {
  const devices = spec.domain.devices
  if (devices.autoattachPodInterface === false || devices.interfaces?.length || spec.networks?.length) return
  const binding = bindings[configuration.network?.defaultNetworkInterface || 'bridge'] ?? bindings['bridge']
  devices.interfaces = [{ name: 'default', ...structuredClone(binding) }]
  spec.networks = [{ name: 'default', pod: {} }]
}
