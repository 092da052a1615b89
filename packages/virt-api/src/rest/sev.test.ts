import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { needSev, sessionChange } from './sev.ts'

const vmi = (phase: string, sev: object) =>
  ({
    metadata: { name: 'a' },
    spec: { domain: { devices: {}, launchSecurity: { sev } } },
    status: { phase },
  }) as unknown as VirtualMachineInstance

test('a switched off gate is told', () => {
  expect(() => needSev({ configuration: {}, isEnabled: () => false })).toThrow(
    expect.objectContaining({ code: 400, message: "'WorkloadEncryptionSEV' feature gate is not enabled" }),
  )
})

test('a scheduled guest gets its session once', () => {
  expect(sessionChange(vmi('Scheduled', { attestation: {} }), 's', 'd').patch[1]).toEqual({
    op: 'replace',
    path: '/spec/domain/launchSecurity/sev',
    value: { attestation: {}, session: 's', dhCert: 'd' },
  })
  expect(() => sessionChange(vmi('Scheduled', { attestation: {}, session: 's' }), 's', 'd')).toThrow(/already defined/)
  expect(() => sessionChange(vmi('Running', { attestation: {} }), 's', 'd')).toThrow(/scheduled phase/)
})
