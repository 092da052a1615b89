import { isIP } from 'node:net'
import type { Interface } from '@kubevirt-ts/api'
import { invalid, notSupported, oneOf, when } from '../cause.ts'
import { repeated } from '../names.ts'
import type { Rule } from '../rule.ts'
import { portRanges, ports } from './interface-ports.ts'
import type { InterfaceRule } from './interface-rule.ts'

const bindingsOf = ({ bridge, masquerade, sriov, passtBinding, macvtap, passt, slirp, binding }: Interface) =>
  Object.entries({ bridge, masquerade, sriov, passtBinding, macvtap, passt, slirp, binding })
    .filter(([, value]) => value)
    .map(([name]) => name)

const discontinued = ['slirp', 'macvtap', 'passt'] as const

const name: InterfaceRule = ({ iface, path }) =>
  when(!/^[A-Za-z0-9-_]+$/.test(iface.name ?? ''), () =>
    invalid(
      `${path}.name`,
      'Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)',
    ),
  )

const binding: InterfaceRule = ({ iface, path }) => {
  const given = bindingsOf(iface).filter((each) => !discontinued.some((old) => old === each))
  return [
    ...discontinued.flatMap((old) =>
      when(Boolean(iface[old]), () =>
        invalid(
          `${path}.${old}`,
          `${old} interface support has been discontinued; use masquerade, bridge or a binding plugin`,
        ),
      ),
    ),
    ...when(given.length !== 1, () =>
      invalid(
        path,
        `logical ${iface.name} interface must have exactly one binding method or binding plugin; it has ${given.join(', ') || 'none'}`,
      ),
    ),
  ]
}

const podNetworkBindings: InterfaceRule = ({ iface, network, path, settings }) => {
  if (!network) return []
  const onPod = Boolean(network.pod)
  const permitted = settings.configuration.network?.permitBridgeInterfaceOnPodNetwork ?? true
  return [
    ...when(Boolean(iface.masquerade) && !onPod, () =>
      invalid(`${path}.name`, 'Masquerade interface only implemented with pod network'),
    ),
    ...when(Boolean(iface.masquerade) && iface.macAddress === '02:00:00:00:00:00', () =>
      invalid(
        `${path}.macAddress`,
        'The requested MAC address is reserved for the in-pod bridge. Please choose another one.',
      ),
    ),
    ...when(Boolean(iface.bridge) && onPod && !permitted, () =>
      invalid(
        `${path}.name`,
        'Bridge on pod network configuration is not enabled under kubevirt-config; use masquerade',
      ),
    ),
    ...when(Boolean(iface.passtBinding) && !settings.isEnabled('PasstBinding'), () =>
      invalid(`${path}.name`, 'Passt core binding feature gate is not enabled in the KubeVirt resource'),
    ),
    ...when(Boolean(iface.passtBinding) && !onPod, () =>
      invalid(`${path}.name`, 'Passt interface only implemented with pod network'),
    ),
  ]
}

const models = ['e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139', 'virtio']

const model: InterfaceRule = ({ iface, path }) =>
  when(Boolean(iface.model) && !models.includes(iface.model!), () =>
    notSupported(
      `${path}.model`,
      `interface ${path}.name uses model ${iface.model} that is not supported; ${oneOf(models)}`,
    ),
  )

const macAddress: InterfaceRule = ({ iface, path }) => {
  if (!iface.macAddress) return []
  const at = `${path}.macAddress`
  const octets = iface.macAddress.split(/[:-]/)
  const wellFormed = octets.length >= 6 && octets.every((octet) => /^[0-9A-Fa-f]{2}$/.test(octet))
  if (!wellFormed) return [invalid(at, `interface ${path}.name has malformed MAC address (${iface.macAddress}).`)]
  return when(octets.length > 6, () =>
    invalid(at, `interface ${path}.name has MAC address (${iface.macAddress}) that is too long; write six octets.`),
  )
}

const pciAddress: InterfaceRule = ({ iface, path }) =>
  when(
    Boolean(iface.pciAddress) && !/^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$/.test(iface.pciAddress!),
    () =>
      invalid(
        `${path}.pciAddress`,
        `interface ${path}.name has malformed PCI address (${iface.pciAddress}); write it like 0000:04:10.0`,
      ),
  )

/** The original names the field without the way to the interface, and clients match on it. */
const bootOrder: InterfaceRule = ({ iface, path, index, field }) =>
  when(iface.bootOrder !== undefined && iface.bootOrder < 1, () =>
    invalid(`${field}[${index}].bootOrder`, `${path}.bootOrder must have a boot order > 0, if supplied`),
  )

const states = ['', 'up', 'down', 'absent']

const state: InterfaceRule = ({ iface, network, path }) => {
  if (!iface.state) return []
  const at = `${path}.state`
  if (!states.includes(iface.state)) {
    return [
      invalid(at, `logical ${iface.name} interface state value is unsupported: ${iface.state}; use up, down or absent`),
    ]
  }
  if (iface.state !== 'absent') {
    return when(Boolean(iface.sriov), () =>
      invalid(at, `${iface.name} interface's state "${iface.state}" is not supported for SR-IOV NICs`),
    )
  }
  const byDefault = Boolean(network?.pod || network?.multus?.default)
  return [
    ...when(!iface.bridge, () =>
      invalid(at, `${iface.name} interface's state "absent" is supported only for bridge binding`),
    ),
    ...when(byDefault, () =>
      invalid(at, `${iface.name} interface's state "absent" is not supported on default networks`),
    ),
  ]
}

const dhcp: InterfaceRule = ({ iface, path, field }) => {
  const options = iface.dhcpOptions
  if (!options) return []
  const given = options.privateOptions ?? []
  return [
    ...given.flatMap(({ option }) =>
      when(option < 224 || option > 254, () =>
        invalid(field, 'provided DHCPPrivateOptions are out of range, must be in range 224 to 254'),
      ),
    ),
    ...repeated(given, ({ option }) => option).map(() =>
      invalid(field, 'Found Duplicates: you have provided duplicate DHCPPrivateOptions'),
    ),
    ...(options.ntpServers ?? []).flatMap((server, index) =>
      when(isIP(server) !== 4, () =>
        invalid(`${path}.dhcpOptions.ntpServers[${index}]`, 'NTP servers must be a list of valid IPv4 addresses.'),
      ),
    ),
  ]
}

const interfaceRules: readonly InterfaceRule[] = [
  name,
  binding,
  podNetworkBindings,
  model,
  macAddress,
  pciAddress,
  bootOrder,
  ports,
  portRanges,
  state,
  dhcp,
]

export const interfaces: Rule = ({ spec, field, settings }) =>
  (spec.domain.devices.interfaces ?? []).flatMap((iface, index) => {
    const network = spec.networks?.find((each) => each.name === iface.name)
    const path = `${field}.domain.devices.interfaces[${index}]`
    const attached = { iface, network, index, path, field, settings }
    return interfaceRules.flatMap((rule) => rule(attached))
  })
