import { expect, test } from '@jest/globals'
import { fields } from '../../../../test/admission.ts'

test('KubeVirt itself changes a guest, but not how far it may grow', async () => {
  const guest = (sockets: number, maxSockets: number) => ({
    spec: { domain: { devices: {}, cpu: { sockets, maxSockets } } },
  })
  const userInfo = { username: 'system:serviceaccount:kubevirt:kubevirt-controller' }
  const more = { operation: 'UPDATE', userInfo, oldObject: { metadata: { name: 'x' }, ...guest(1, 4) } }
  expect(await fields('/virtualmachineinstances-validate-update', guest(2, 4), { more })).toEqual([])
  expect(await fields('/virtualmachineinstances-validate-update', guest(2, 8), { more })).toEqual([
    'spec.domain.cpu.maxSockets',
  ])
})
