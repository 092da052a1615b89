import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

const causesOfCard = (card: object, network: object = { pod: {} }) =>
  causesOf({ networks: [{ name: 'n', ...network }] }, { devices: { interfaces: [{ name: 'n', ...card }] } }, [
    'PortRangesSpec',
  ])
const path = 'spec.domain.devices.interfaces[0]'

test('ports of other networks than the pod’s are not looked at', () => {
  const ports = [{ port: 70_000 }]
  expect(causesOfCard({ bridge: {}, ports }, { multus: { networkName: 'nad' } })).toEqual([])
  expect(causesOfCard({ masquerade: {}, ports })).toEqual([`FieldValueInvalid ${path}.ports[0].port`])
})

test('ranges of ports go upwards and share no port of a protocol', () => {
  const range = (start: number, end: number, protocol?: string) => ({ start, end, ...(protocol && { protocol }) })
  const causes = (...portRanges: object[]) => causesOfCard({ masquerade: {}, portRanges })
  expect(causes(range(80, 90), range(91, 99), range(85, 95, 'UDP'))).toEqual([])
  expect(causes(range(80, 90), range(90, 99, 'TCP'))).toEqual([`FieldValueInvalid ${path}.portRanges[1]`])
  expect(causes(range(90, 80), range(0, 1), range(1, 65_536))).toEqual([
    `FieldValueInvalid ${path}.portRanges[0]`,
    `FieldValueInvalid ${path}.portRanges[1]`,
    `FieldValueInvalid ${path}.portRanges[2]`,
    // It is the last and overlaps with the one before it, too.
    `FieldValueInvalid ${path}.portRanges[2]`,
  ])
})
