import { isIP } from 'node:net'
import type { Interface, Network, PortRange } from '@kubevirt-ts/api'
import { duplicate, invalid, notSupported, oneOf, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { repeated } from '../names.ts'
import type { Rule } from '../rule.ts'
import type { Settings } from '../../settings.ts'

interface Attached {
  readonly iface: Interface
  readonly network: Network | undefined
  readonly index: number
  readonly path: string
  readonly field: string
  readonly settings: Settings
}

type InterfaceRule = (attached: Attached) => Cause[]

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

const protocols = ['TCP', 'UDP']
const isServiceName = (text: string) =>
  text.length <= 15 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text) && /[a-z]/.test(text) && !text.includes('--')

/** Ports mean something on the pod network only; elsewhere they are neither used nor looked at. */
const ports: InterfaceRule = ({ iface, network, path }) => {
  const all = iface.ports ?? []
  if (all.length === 0 || !network?.pod) return []
  return [
    ...all.flatMap(({ port, protocol, name: portName }, index) => {
      const at = `${path}.ports[${index}]`
      const causes: Cause[] = []
      if (!port) causes.push(required(`${at}.port`, 'Port field is mandatory.'))
      else if (port < 1 || port > 65_535)
        causes.push(invalid(`${at}.port`, 'Port field must be in range 0 < x < 65536.'))
      if (protocol && !protocols.includes(protocol)) {
        causes.push(invalid(`${at}.protocol`, `Unknown protocol, only TCP or UDP allowed`))
      }
      if (portName && !isServiceName(portName)) {
        causes.push(
          invalid(`${at}.name`, `Invalid name of the port: ${portName}; use at most 15 of a-z, 0-9 and single -`),
        )
      }
      return causes
    }),
    ...repeated(all, (port) => port.name || undefined).map((index) =>
      duplicate(`${path}.ports[${index}].name`, `Duplicate name of the port: ${all[index]!.name}`),
    ),
  ]
}

const portRanges: InterfaceRule = ({ iface, path, settings }) => {
  const ranges = iface.portRanges ?? []
  if (ranges.length === 0) return []
  if (!settings.isEnabled('PortRangesSpec')) {
    return [
      invalid(`${path}.name`, 'portRanges: the feature gate PortRangesSpec is not enabled in the KubeVirt resource'),
    ]
  }
  return [
    ...when(!iface.masquerade, () => invalid(`${path}.name`, 'portRanges are only supported with masquerade')),
    ...when(Boolean(iface.ports?.length), () => invalid(`${path}.name`, 'ports and portRanges are mutually exclusive')),
    ...when(ranges.length > maxRanges, () =>
      invalid(`${path}.portRanges`, `at most ${maxRanges} portRanges can be given`),
    ),
    ...ranges.flatMap((range, index) => [
      ...when(range.start < 1 || range.end > 65_535 || range.start > range.end, () =>
        invalid(
          `${path}.portRanges[${index}]`,
          `ports ${range.start} to ${range.end} are no range; start must not be above end, both must be 1 to 65535`,
        ),
      ),
      ...when(
        ranges.slice(0, index).some((other) => overlap(range, other)),
        () =>
          invalid(
            `${path}.portRanges[${index}]`,
            `ports ${range.start} to ${range.end} overlap with a range before them; give each port once`,
          ),
      ),
    ]),
  ]
}

const maxRanges = 10

/** A range without protocol is one of TCP ports. */
const overlap = (one: PortRange, other: PortRange) =>
  (one.protocol || 'TCP') === (other.protocol || 'TCP') && one.start <= other.end && other.start <= one.end

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
