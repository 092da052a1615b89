import { expect, test } from '@jest/globals'
import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { normalForm } from './normal-form.ts'

test('what says nothing is gone, amounts are written alike, choices stay', () => {
  const given = {
    hostname: '',
    nodeSelector: {},
    tolerations: [],
    networks: [{ name: 'default', pod: {} }],
    domain: {
      cpu: { cores: 0 },
      resources: { requests: {} },
      memory: { guest: '1024Mi' },
      devices: {
        autoattachSerialConsole: false,
        disks: [],
        rng: {},
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
  } as VirtualMachineInstanceSpec
  const before = structuredClone(given)
  expect(normalForm(given)).toEqual({
    networks: [{ name: 'default', pod: {} }],
    domain: {
      memory: { guest: '1Gi' },
      devices: { autoattachSerialConsole: false, rng: {}, interfaces: [{ name: 'default', masquerade: {} }] },
    },
  })
  expect(given).toEqual(before)
})
