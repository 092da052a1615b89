import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { virtualMachineInstanceMigrations } from '@kubevirt-ts/api'
import { Unanswered } from '@kubevirt-ts/kubecli'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { waitForMove } from './migrate-wait.ts'

const mib = 1024 * 1024
const progress = (remaining: number, more: object = {}) => ({
  'migration.kubevirt-ts.io/progress': JSON.stringify({
    migrationUid: 'm2',
    totalBytes: 128 * mib,
    remainingBytes: remaining * mib,
    bytesPerSecond: 32 * mib,
    at: '2026-01-01T00:00:00Z',
    ...more,
  }),
})

const migration = (uid: string, phase: string, migrationState: object = {}) =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: uid, namespace: 'n', uid, labels: { 'kubevirt.io/vmi-name': 'a' } },
    spec: { vmiName: 'a' },
    status: { phase, migrationState },
  }) as KubeObject

const vmi = (annotations: Record<string, string> = {}) =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n', annotations },
    status: { nodeName: 'n1' },
  }) as KubeObject

/** Follows the one migration that is not from before; `onShown` may change things when something is shown. */
async function wait(
  objects: KubeObject[],
  {
    isTTY = false,
    timeoutMs = 0,
    onShown,
  }: {
    isTTY?: boolean
    timeoutMs?: number
    onShown?: (ask: { client: ReturnType<typeof fakeClient>; interrupt: () => void }) => unknown
  } = {},
) {
  const client = fakeClient([migration('m1', 'Failed'), ...objects])
  const stdout = Object.assign(new PassThrough(), { isTTY })
  const interrupt = new AbortController()
  let out = ''
  stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    void onShown?.({ client, interrupt: () => interrupt.abort() })
  })
  const terminal = { stdin: new PassThrough(), stdout, stderr: new PassThrough() }
  const options = { before: new Set(['m1']), timeoutMs }
  const ended = waitForMove({ client, namespace: 'n' }, 'a', options, { terminal, signal: interrupt.signal })
  const result = await ended.then(
    (text) => ({ text }),
    (error: Error & { exitCode: number }) => ({ error: error.message, exitCode: error.exitCode }),
  )
  return { out: () => out, ...result }
}

const finish =
  (phase: string, state: object) =>
  ({ client }: { client: ReturnType<typeof fakeClient> }) =>
    client.patch(
      virtualMachineInstanceMigrations,
      { namespace: 'n', name: 'm2' },
      { status: { phase, migrationState: state } },
      { type: 'merge', subresource: 'status' },
    )

const way = {
  sourceNode: 'n1',
  targetNode: 'n2',
  startTimestamp: '2026-01-01T00:00:00Z',
  endTimestamp: '2026-01-01T00:00:03Z',
}

test('elsewhere than on a terminal each change is a line, and the end tells way, time and pause', async () => {
  const ended = await wait([migration('m2', 'Running'), vmi(progress(96, { downtimeMs: 120 }))], {
    onShown: finish('Succeeded', way),
  })
  expect(ended.out()).toBe('Running: 25%, 96 MiB left, 32 MiB/s\n')
  expect(ended).toMatchObject({ text: 'VM a moved from n1 to n2 in 3 s; the guest stood still for 120 ms at most' })
})

test('on a terminal one line changes, with a bar', async () => {
  const ended = await wait([migration('m2', 'Running'), vmi(progress(64))], {
    isTTY: true,
    onShown: finish('Succeeded', way),
  })
  expect(ended.out()).toBe('\r\u001B[KRunning [############------------] 50%, 64 MiB left, 32 MiB/s\n')
})

test('a failure is told with its reason', async () => {
  expect(await wait([migration('m2', 'Failed', { failureReason: 'no route to n2' }), vmi()])).toMatchObject({
    error: 'The migration of a failed: no route to n2',
    exitCode: 1,
  })
})

test('Ctrl+C leaves the migration running and says so', async () => {
  const ended = await wait([migration('m2', 'Running'), vmi()], { onShown: ({ interrupt }) => interrupt() })
  expect(ended).toMatchObject({ exitCode: 130, error: expect.stringContaining('virtctl migrate-cancel a') })
})

test('waiting too long leaves it running, too', async () => {
  expect(await wait([migration('m2', 'Scheduling'), vmi()], { timeoutMs: 1 })).toMatchObject({
    exitCode: 1,
    error: expect.stringContaining('is Scheduling after 0.001 s; it goes on'),
  })
})

test('a migration that somebody cancels is told as such', async () => {
  const ended = await wait([migration('m2', 'Running'), vmi()], {
    onShown: ({ client }) => client.delete(virtualMachineInstanceMigrations, { namespace: 'n', name: 'm2' }),
  })
  expect(ended).toMatchObject({ error: 'The migration of a was cancelled.' })
})

test('a server that is silent for a moment does not end the wait', async () => {
  const ended = await wait([migration('m2', 'Running'), vmi(progress(96))], {
    onShown: async ({ client }) => {
      const list = client.list.bind(client)
      client.list = async () => {
        client.list = list
        await finish('Succeeded', way)({ client })
        throw new Unanswered('no answer within 30000 ms')
      }
    },
  })
  expect(ended).toMatchObject({ text: expect.stringMatching(/^VM a moved/) })
})
