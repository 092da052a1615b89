import type { PortRange } from '@kubevirt-ts/api'
import { duplicate, invalid, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import { repeated } from '../names.ts'
import type { InterfaceRule } from './interface-rule.ts'

const protocols = ['TCP', 'UDP']
const isServiceName = (text: string) =>
  text.length <= 15 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text) && /[a-z]/.test(text) && !text.includes('--')

/** Ports mean something on the pod network only; elsewhere they are neither used nor looked at. */
export const ports: InterfaceRule = ({ iface, network, path }) => {
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

export const portRanges: InterfaceRule = ({ iface, path, settings }) => {
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
