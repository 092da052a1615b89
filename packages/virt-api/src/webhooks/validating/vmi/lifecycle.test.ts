import { expect, test } from '@jest/globals'
import { causesOf } from '../../../../test/vmi-causes.ts'

test('probes over the network need the pod network', () => {
  expect(causesOf({ readinessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } })).toEqual([
    'FieldValueInvalid spec.readinessProbe',
    'FieldValueInvalid spec.readinessProbe.httpGet',
    'FieldValueInvalid spec.readinessProbe.tcpSocket',
  ])
})
