import { expect, test } from '@jest/globals'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
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

test('an exec plugin is run for its token', async () => {
  const credential = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'from-plugin' },
  })
  const user = `- name: plugin
  user:
    exec: { apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh, interactiveMode: Never }`
  await using home = await withFile(kubeconfig(user))
  await writeFile(join(home.directory, 'plugin.sh'), `#!/bin/sh\necho '${credential}'\n`, { mode: 0o755 })

  const config = await loadConfig({ kubeconfig: home.file, context: 'plugin', env: {} })

  await expect(config.authorization()).resolves.toBe('Bearer from-plugin')
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
