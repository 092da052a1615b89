import { describe, expect, test } from '@jest/globals'
import { admission } from '../../../../test/admission.ts'

describe('virt-handler writes to guests of its node', () => {
  const guest = (status: object) => ({ metadata: { name: 'a' }, spec: { domain: { devices: {} } }, status })
  const here = guest({ nodeName: 'here', migrationState: { targetNode: 'there' } })
  const by = (node?: string) => ({
    username: 'system:serviceaccount:kubevirt:kubevirt-handler',
    ...(node && { extra: { 'authentication.kubernetes.io/node-name': [node] } }),
  })
  const update = (object: object, userInfo: object) =>
    admission('/virtualmachineinstances-validate-update', object, {
      more: { oldObject: here, operation: 'UPDATE', userInfo },
    })

  test.each(['here', 'there'])('%s may', async (node) => {
    expect((await update(here, by(node))).denied).toBeUndefined()
  })

  test.each([
    ['another node', here, 'elsewhere', 'owns; this one is on here, not on elsewhere'],
    ['nobody knows which', here, undefined, 'must be bound to a node'],
    [
      'the source chooses the target',
      guest({ nodeName: 'here', migrationState: { targetNode: 'elsewhere' } }),
      'here',
      'not allowed to set the target node',
    ],
  ])('%s may not', async (_case, object, node, message) => {
    expect((await update(object, by(node))).denied).toEqual({ code: 403, message: expect.stringContaining(message) })
  })
})
