import { PassThrough } from 'node:stream'
import { afterEach, beforeEach } from '@jest/globals'
import { run } from '../src/root.ts'
import { fakeApi } from './fake-api.ts'
import type { FakeApi } from './fake-api.ts'

export const vms = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachines'
export const vmis = '/apis/subresources.kubevirt.io/v1/namespaces/n/virtualmachineinstances'
export const objects = '/apis/kubevirt.io/v1/namespaces/n'
export const kubeconfig = new URL('data/kubeconfig.yaml', import.meta.url).pathname

/** The API server of the test that runs. */
export let api: FakeApi
/** Ctrl+C; what a test leaves running is interrupted after it. */
export let interrupt: AbortController
beforeEach(async () => {
  api = await fakeApi()
  interrupt = new AbortController()
  process.env['KUBECONFIG'] = ''
})
afterEach(async () => {
  interrupt.abort()
  await api.close()
})

function collected(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

/** A terminal whose keyboard is `stdin`. */
export function terminal(isTTY = false) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const raw: boolean[] = []
  Object.assign(stdin, { isTTY, setRawMode: (on: boolean) => raw.push(on) })
  return { stdin, stdout, stderr, raw, out: collected(stdout), err: collected(stderr) }
}

/** Starts a command line against the fake API server, at a terminal; resolves to its exit code. */
export const start = (used: ReturnType<typeof terminal>, ...argv: readonly string[]): Promise<number> =>
  run([...argv, '--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n'], 'virtctl', used, interrupt.signal)

/** Runs a command line against the fake API server. */
export async function virtctl(...argv: string[]) {
  const used = terminal()
  const code = await start(used, ...argv)
  return { code, out: used.out(), err: used.err() }
}

/** Waits for what another party is about to do. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

export const answer = (request: string, body?: unknown, status = 200) => api.answers.set(request, { status, body })
export const sent = () => api.seen.at(-1)!
