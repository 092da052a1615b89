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
beforeEach(async () => {
  api = await fakeApi()
  process.env['KUBECONFIG'] = ''
})
afterEach(() => api.close())

export function collected(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

/** Runs a command line against the fake API server. */
export async function virtctl(...argv: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const [out, err] = [collected(stdout), collected(stderr)]
  const cluster = ['--kubeconfig', kubeconfig, '--server', api.url, '-n', 'n']
  const code = await run([...argv, ...cluster], 'virtctl', { stdin, stdout, stderr }, new AbortController().signal)
  return { code, out: out(), err: err() }
}

export const answer = (request: string, body?: unknown, status = 200) => api.answers.set(request, { status, body })
export const sent = () => api.seen.at(-1)!
