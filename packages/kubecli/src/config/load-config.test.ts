import { expect, test } from '@jest/globals'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inClusterConfig } from './in-cluster.ts'
import { loadConfig } from './load-config.ts'

const kubeconfig = (extra = '') => `
apiVersion: v1
kind: Config
current-context: here
clusters:
- name: cluster
  cluster: { server: "https://198.18.0.1:6443/", certificate-authority: ca.crt }
- name: other
  cluster: { server: "https://198.18.0.2:6443", insecure-skip-tls-verify: true }
users:
- name: admin
  user: { client-certificate-data: ${Buffer.from('CERT').toString('base64')}, client-key-data: ${Buffer.from('KEY').toString('base64')} }
- name: robot
  user: { token: secret }
${extra}
contexts:
- name: here
  context: { cluster: cluster, user: admin, namespace: vms }
- name: there
  context: { cluster: other, user: robot }
- name: plugin
  context: { cluster: other, user: plugin }
`

async function withFile(text: string) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'kubeconfig-'))
  const file = join(directory.path, 'config')
  await writeFile(file, text)
  await writeFile(join(directory.path, 'ca.crt'), 'CA')
  return { file, directory: directory.path, [Symbol.asyncDispose]: () => directory.remove() }
}

test('the current context gives server, trust, client certificate and namespace', async () => {
  await using home = await withFile(kubeconfig())

  const config = await loadConfig({ env: { KUBECONFIG: home.file } })

  expect(config).toMatchObject({
    server: 'https://198.18.0.1:6443',
    namespace: 'vms',
    tls: { ca: 'CA', cert: 'CERT', key: 'KEY' },
  })
  await expect(config.authorization()).resolves.toBeUndefined()
})

test('another context and namespace can be asked for', async () => {
  await using home = await withFile(kubeconfig())

  const config = await loadConfig({ kubeconfig: home.file, context: 'there', namespace: 'mine', env: {} })

  expect(config).toMatchObject({ namespace: 'mine', tls: { rejectUnauthorized: false } })
  await expect(config.authorization()).resolves.toBe('Bearer secret')
})

const execUser = `- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./plugin.sh
      env: [{ name: COLOUR, value: blue }]
      provideClusterInfo: true
      installHint: get it from the shop`

async function withExecPlugin(script: string) {
  const home = await withFile(kubeconfig(execUser))
  await writeFile(join(home.directory, 'plugin.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return home
}

const credential = (status: object) =>
  `echo '${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })}'`

test('an exec plugin is run for its token, and told of the cluster and its own variables', async () => {
  await using home = await withExecPlugin(
    `echo "$COLOUR $KUBERNETES_EXEC_INFO" > "$(dirname "$0")/told"\n${credential({ token: 'from-plugin' })}`,
  )

  const config = await loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })

  await expect(config.authorization()).resolves.toBe('Bearer from-plugin')
  const told = await readFile(join(home.directory, 'told'), 'utf8')
  expect(told.startsWith('blue ')).toBe(true)
  expect(JSON.parse(told.slice('blue '.length))).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: { server: 'https://198.18.0.2:6443', 'insecure-skip-tls-verify': true },
    },
  })
})

test('a plugin whose token has expired is run again, one whose token is valid is not', async () => {
  const count = 'echo run >> "$(dirname "$0")/runs"'
  const expired = credential({ token: 'old', expirationTimestamp: '2020-01-01T00:00:00Z' })
  const valid = credential({ token: 'new', expirationTimestamp: '2999-01-01T00:00:00Z' })
  await using home = await withExecPlugin(
    `${count}\nif [ "$(wc -l < "$(dirname "$0")/runs")" -eq 1 ]; then ${expired}; else ${valid}; fi`,
  )

  const config = await loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })

  await expect(config.authorization()).resolves.toBe('Bearer new')
  await expect(config.authorization()).resolves.toBe('Bearer new')
  await expect(readFile(join(home.directory, 'runs'), 'utf8')).resolves.toBe('run\nrun\n')
})

test('a plugin may give a client certificate', async () => {
  await using home = await withExecPlugin(credential({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }))

  const config = await loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })

  expect(config.tls).toMatchObject({ cert: 'CERT', key: 'KEY' })
  await expect(config.authorization()).resolves.toBeUndefined()
})

test.each([
  ['fails', 'echo no badge >&2; exit 3', /plugin\.sh failed \(3\): no badge\nget it from the shop/],
  ['prints something else', 'echo hello', /did not print an ExecCredential/],
  ['gives nothing', credential({}), /neither a token nor a client certificate/],
  ['speaks another version', 'echo \'{"apiVersion":"v0"}\'', /speaks v0, the kubeconfig expects client\.auth/],
])('a plugin that %s is named in the error', async (_, script, words) => {
  await using home = await withExecPlugin(script)
  await expect(loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })).rejects.toThrow(words)
})

test('a plugin that is not installed is named in the error, with the hint for installing it', async () => {
  await using home = await withFile(kubeconfig(execUser))
  await expect(loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })).rejects.toThrow(
    /plugin\.sh is not installed\nget it from the shop/,
  )
})

const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`

test.each([
  ['is valid', 'oidc', idToken({ exp: 32503680000 }), 'Bearer e30.'],
  ['has expired', 'oidc', idToken({ exp: 1 }), 'run a kubectl command to renew it'],
  ['is of a provider that is gone', 'gcp', 'x', 'use an exec plugin instead'],
])('a provider token that %s', async (_, name, token, words) => {
  const user = `- name: plugin
  user: { auth-provider: { name: ${name}, config: { id-token: ${token} } } }`
  await using home = await withFile(kubeconfig(user))
  const config = await loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })
  const answer = await config.authorization().catch((error: Error) => error.message)
  expect(answer).toContain(words)
})

test.each([
  ['a missing file', { kubeconfig: '/nowhere/config' }, '/nowhere/config cannot be read'],
  ['an unknown context', { context: 'nowhere' }, 'there is no context "nowhere"; there are: here, there, plugin'],
])('%s is named in the error', async (_, options, words) => {
  await using home = await withFile(kubeconfig())
  await expect(loadConfig({ kubeconfig: home.file, env: {}, ...options })).rejects.toThrow(words)
})

test('a file that is not YAML is named in the error', async () => {
  await using home = await withFile('a: [')
  await expect(loadConfig({ kubeconfig: home.file, env: {} })).rejects.toThrow(`${home.file} is not YAML`)
})

test('in a pod the service account counts', async () => {
  await using account = await withFile('')
  await writeFile(join(account.directory, 'token'), 'pod-token\n')
  await writeFile(join(account.directory, 'namespace'), 'kubevirt')
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }

  const config = await inClusterConfig({ env, directory: account.directory })

  expect(config).toMatchObject({ server: 'https://[fd00::1]:6443', namespace: 'kubevirt', tls: { ca: 'CA' } })
  await expect(config?.authorization()).resolves.toBe('Bearer pod-token')
})
