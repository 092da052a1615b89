import { beforeEach, describe, expect, test } from '@jest/globals'
import { answer, objects, sent, virtctl } from './command-line.ts'

describe('credentials', () => {
  const accessCredentials = [
    {
      sshPublicKey: {
        source: { secret: { secretName: 'keys' } },
        propagationMethod: { qemuGuestAgent: { users: ['alice'] } },
      },
    },
    { userPassword: { source: { secret: { secretName: 'words' } }, propagationMethod: { qemuGuestAgent: {} } } },
  ]
  const secret = (name: string, uid = 'u') => ({
    metadata: { name, ownerReferences: [{ uid }] },
    data: { k: 'c3NoIGE=' },
  })
  const path = (name: string) => `/api/v1/namespaces/n/secrets/${name}`

  beforeEach(() => {
    answer(`GET ${objects}/virtualmachines/a`, {
      metadata: { name: 'a', uid: 'u' },
      spec: { template: { spec: { accessCredentials } } },
    })
    for (const name of ['keys', 'words']) {
      answer(`GET ${path(name)}`, secret(name))
      answer(`PATCH ${path(name)}`, {})
    }
  })

  test('a key is added to the user’s secret, and removed from it', async () => {
    expect(await virtctl('credentials', 'add-ssh-key', 'a', '-u', 'alice', '--value', 'ssh b')).toMatchObject({
      code: 0,
    })
    expect(Object.values((sent().body as { data: object }).data)).toEqual(['c3NoIGI='])
    expect(await virtctl('credentials', 'remove-ssh-key', 'a', '-u', 'alice', '--value', 'ssh a')).toMatchObject({
      code: 0,
    })
    expect(sent().body).toEqual({ data: { k: null } })
  })

  test('the user of the guest is not taken for the kubeconfig’s', async () => {
    const set = (...user: string[]) => virtctl('credentials', 'set-password', 'a', ...user, '-p', 'x')
    expect(await set('--user', 'alice')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ path: path('words'), body: { data: { alice: 'eA==' } } })
    expect(await set('--user=bob')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ body: { data: { bob: 'eA==' } } })
  })

  test('a password is set under the user’s name', async () => {
    expect(await virtctl('credentials', 'set-password', 'a', '-u', 'alice', '-p', 'x')).toMatchObject({ code: 0 })
    expect(sent()).toMatchObject({ path: path('words'), body: { data: { alice: 'eA==' } } })
  })

  test('a new secret belongs to the VM and is used by it', async () => {
    answer('POST /api/v1/namespaces/n/secrets', {}, 201)
    answer(`PATCH ${objects}/virtualmachines/a`, {})
    const argv = [
      'credentials',
      'add-ssh-key',
      'a',
      '-u',
      'bob',
      '--value',
      'ssh b',
      '--create-secret',
      '--secret',
      'new',
    ]
    expect(await virtctl(...argv)).toMatchObject({ code: 0 })
    const [{ op }, { value }] = sent().body as [{ op: string }, { value: unknown[] }]
    expect([op, value.length]).toEqual(['test', 3])
  })

  test('a secret of others is only changed by force', async () => {
    answer(`GET ${path('words')}`, secret('words', 'other'))
    const argv = ['credentials', 'set-password', 'a', '-u', 'alice', '-p', 'x']
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(/owner reference/) })
    expect(await virtctl(...argv, '--force')).toMatchObject({ code: 0 })
  })
})
