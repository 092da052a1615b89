import { expect, test } from '@jest/globals'
import { reply, scriptedServer } from '@kubevirt-ts/kubecli/testing'
import { execFile, spawn } from 'node:child_process'
import { mkdtempDisposable, symlink, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const binary = fileURLToPath(new URL('../bin/stickyvm-scheduler', import.meta.url))

test('--help lists the flags, also through a symbolic link from elsewhere', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'scheduler-'))
  const link = join(directory.path, 'stickyvm-scheduler')
  await symlink(binary, link)

  const { stdout } = await promisify(execFile)(link, ['--help'], { cwd: directory.path })

  for (const flag of ['--config string', '--leader-elect', '--kubeconfig string', '-v, --v int']) {
    expect(stdout).toContain(flag)
  }
  expect(stdout).toMatch(/--secure-port int .*\(default 10259\)/)
})

test('a sample configuration loads unchanged, with its warnings, and SIGTERM ends the process', async () => {
  const server = await scriptedServer((_request, response) =>
    reply(response, 200, { kind: 'List', metadata: { resourceVersion: '1' }, items: [] }),
  )
  await using _ = server
  await using directory = await mkdtempDisposable(join(tmpdir(), 'scheduler-'))
  const kubeconfig = join(directory.path, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(server.config.server))
  const sample = fileURLToPath(new URL('data/ksc.yaml', import.meta.url))
  const flags = ['--leader-elect=false', '--config', sample, '--kubeconfig', kubeconfig]
  const scheduler = spawn(binary, [...flags, '--bind-address', '127.0.0.1', '--secure-port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => scheduler.once('exit', resolve))
  const messages: string[] = []
  let port = 0
  for await (const line of createInterface({ input: scheduler.stdout })) {
    const entry = JSON.parse(line) as { msg: string; port?: number }
    messages.push(entry.msg)
    port = entry.port ?? port
    if (entry.msg.startsWith('serving')) break
  }

  const answers = await Promise.all(
    ['healthz', 'livez', 'metrics', 'configz'].map((path) => statusOf(`https://127.0.0.1:${port}/${path}`)),
  )
  scheduler.kill('SIGTERM')

  expect(answers).toEqual([200, 200, 401, 401])
  expect(await ended).toBe(0)
  expect(messages.filter((message) => message.includes('NodeResourceFit'))).toHaveLength(1)
})

test.each([
  ['bad YAML', 'a: [', /ksc\.yaml:1: /],
  ['an unknown plugin', withFilter('Nonsense'), /ksc\.yaml:5: profiles\[0\].*there is no plugin Nonsense; known are/],
])('%s ends the process with code 1, told with file and line', async (_what, text, message) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'scheduler-'))
  const config = join(directory.path, 'ksc.yaml')
  await writeFile(config, text)

  const failure = await promisify(execFile)(binary, ['--config', config]).catch((error: unknown) => error)

  expect(failure).toMatchObject({ code: 1, stdout: expect.stringMatching(message) as unknown as string })
})

test('a plugin from a file takes part; one that throws when it is loaded ends the process', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'scheduler-'))
  const plugin = join(directory.path, 'mine.mjs')
  const config = join(directory.path, 'ksc.yaml')
  await writeFile(config, withFilter('Mine'))
  await writeFile(plugin, `throw new Error('boom')`)
  const kubeconfig = join(directory.path, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf('http://127.0.0.1:1'))
  const flags = ['--config', config, '--plugin', plugin, '--kubeconfig', kubeconfig]
  const run = () => promisify(execFile)(binary, flags).catch((error: unknown) => error)

  expect(await run()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('mine.mjs: the plugin cannot be loaded: boom') as unknown as string,
  })
  await writeFile(plugin, `export default { name: 'Mine', create: () => ({ name: 'Mine', bind() {} }) }`)
  expect(await run()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Mine takes no part in filter') as unknown as string,
  })
})

/** The server signed its certificate itself. */
async function statusOf(url: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  get(url, { rejectUnauthorized: false }, (response) => {
    response.resume()
    resolve(response.statusCode)
  }).on('error', reject)
  return promise
}

function withFilter(plugin: string): string {
  return `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: { kubeconfig: '' }
profiles:
- { schedulerName: x, plugins: { filter: { enabled: [{ name: ${plugin} }] } } }
`
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server } }],
    users: [{ name: 'x', user: {} }],
  })
}
