import { beforeEach, describe, expect, test } from '@jest/globals'
import { requestTimeout } from '../src/client/connect.ts'
import { answer, api, sent, virtctl, vms } from './command-line.ts'

describe('the KubeVirt resource', () => {
  const permittedHostDevices = {
    pciHostDevices: [{ resourceName: 'v/nic' }],
    mediatedDevices: [{ resourceName: 'v/gpu' }],
    usb: [{ resourceName: 'v/stick' }],
  }
  const developerConfiguration = { logVerbosity: { virtAPI: 4 } }
  const list = 'GET /apis/kubevirt.io/v1/kubevirts'

  beforeEach(() => {
    const kubeVirt = {
      metadata: { name: 'k', namespace: 'kubevirt' },
      spec: { configuration: { permittedHostDevices, developerConfiguration } },
    }
    answer(list, { items: [kubeVirt] })
    answer('PATCH /apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/k', {})
  })

  test('permitted devices are listed, for people and for scripts', async () => {
    expect((await virtctl('permitted-devices')).out).toBe('Host Devices:\n  v/nic\n  v/stick\nGPU Devices:\n  v/gpu\n')
    expect(JSON.parse((await virtctl('permitted-devices', '-o', 'json')).out)).toEqual({
      hostDevices: ['v/nic', 'v/stick'],
      gpuDevices: ['v/gpu'],
    })
  })

  test('levels of the log are shown', async () => {
    expect((await virtctl('adm', 'log-verbosity', '--virt-api', '--virt-handler')).out).toBe(
      'virt-api = 4\nvirt-handler = 2\n',
    )
  })

  test('levels of the log are set, one before all', async () => {
    expect(await virtctl('adm', 'log-verbosity', '--all=3', '--virt-handler=5')).toMatchObject({ code: 0 })
    const patch = sent().body as { value: unknown }[]
    expect(patch.map(({ value }) => value)).toEqual([
      { virtAPI: 4 },
      { virtAPI: 3, virtController: 3, virtHandler: 5, virtLauncher: 3, virtOperator: 3 },
    ])
  })

  test.each([
    [['adm', 'log-verbosity'], /no flag specified/],
    [['adm', 'log-verbosity', '--all=10'], /must be 0-9/],
    [['adm', 'log-verbosity', '--all=1', '--virt-api'], /only show or set/],
  ])('%j is refused', async (argv, message) => {
    expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  })

  test('a cluster without KubeVirt is told as such', async () => {
    answer(list, { items: [] })
    expect(await virtctl('permitted-devices')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no KubeVirt resource/),
    })
  })
})

test('a failure says when client and server are of different releases', async () => {
  answer(`PUT ${vms}/a/migrate`, { message: 'VM is not running' }, 409)
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.2.0' })
  const { code, err } = await virtctl('migrate', 'a')
  expect(code).toBe(1)
  expect(err).toMatch(
    /different from the KubeVirt version.*\nClient Version: v1\.9.*\nServer Version: v1\.2\.0\nError migrating/,
  )
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.9.3' })
  expect((await virtctl('migrate', 'a')).err).toMatch(/^Error migrating/)
})

test('versions also come as data', async () => {
  answer('GET /apis/subresources.kubevirt.io/v1/version', { gitVersion: 'v1.9.0' })
  expect(JSON.parse((await virtctl('version', '-o', 'json')).out)).toMatchObject({
    clientVersion: { compiler: 'v8' },
    serverVersion: { gitVersion: 'v1.9.0' },
  })
})

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s is told commands and flags', async (shell) => {
    const { out } = await virtctl('completion', shell)
    expect(out).toMatch(/add-ssh-key/)
    expect(out).toMatch(/grace-period/)
  })

  test('another shell is refused', async () => {
    expect(await virtctl('completion', 'tcsh')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/use bash, zsh or fish/),
    })
  })
})

test('one may act as somebody else', async () => {
  answer(`PUT ${vms}/a/start`, undefined, 202)
  const flags = ['--as=bob', '--as-uid=7', '--as-group=staff', '--as-group=dev']
  expect(await virtctl('start', 'a', ...flags)).toMatchObject({ code: 0 })
  expect(api.headers).toMatchObject({
    'impersonate-user': 'bob',
    'impersonate-uid': '7',
    'impersonate-group': 'staff, dev',
  })
})

test('a cluster, a user and a time that can not be are told', async () => {
  for (const [flag, message] of [
    ['--cluster=moon', /there is no cluster "moon"/],
    ['--user=nobody', /there is no user "nobody"/],
    ['--request-timeout=soon', /soon is not a time/],
  ] as const) {
    expect(await virtctl('start', 'a', flag)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  }
})

test('how long a request may take is written as kubectl takes it', () => {
  expect(['30s', '1.5m', '250ms', '7', '0'].map(requestTimeout)).toEqual([30_000, 90_000, 250, 7000, 2 ** 31 - 1])
})
