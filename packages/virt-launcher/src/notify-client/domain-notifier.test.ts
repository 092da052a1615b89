import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { Domain } from '@kubevirt-ts/domain'
import { decodeJson, serveNotify, type RpcServer } from '@kubevirt-ts/handler-launcher-com'
import { createLogger } from '@kubevirt-ts/service'
import { connectNotifier, type DomainNotifier } from './domain-notifier.ts'

let folder: string
let socket: string
let notifier: DomainNotifier
let received: string[]
let onReceived: () => void
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'notify-'))
  socket = join(folder, 's')
  notifier = connectNotifier(socket, createLogger({ component: 'test', destination: { write() {} } }))
  received = []
  onReceived = () => {}
})
afterEach(() => {
  notifier.close()
  rmSync(folder, { recursive: true })
})

function handler(answers: boolean[] = []): Promise<RpcServer> {
  return serveNotify(socket, {
    async handleDomainEvent({ domainJSON, eventType }) {
      received.push(`${eventType} ${decodeJson<Domain>(domainJSON)!.status.status}`)
      onReceived()
      return { success: answers.shift() ?? true, message: 'no' }
    },
    handleK8SEvent: async () => ({ success: true, message: '' }),
  })
}

const domain = (status: Domain['status']['status']): Domain => ({
  metadata: { name: 'vm', namespace: 'ns', uid: 'u' },
  spec: { $type: 'kvm', name: 'ns_vm', memory: { _: '1' }, os: { type: { _: 'hvm' } }, devices: {} },
  status: { status, reason: 'Unknown' },
})

test('what happened while nobody listened is told when the handler comes, the newest state only', async () => {
  notifier.notify('Added', domain('Shutoff'))
  notifier.notify('Modified', domain('Running'))
  await using _ = disposable(await handler())

  expect(await notifier.delivered(5_000)).toBe(true)
  expect(received).toEqual(['Modified Running'])
})

test('a handler that was away is told again', async () => {
  const first = await handler()
  notifier.notify('Modified', domain('Running'))
  await notifier.delivered(5_000)
  await first.close()
  const again = new Promise<void>((resolve) => (onReceived = resolve))

  await using _ = disposable(await handler())
  await again

  expect(new Set(received)).toEqual(new Set(['Modified Running']))
  expect(received.length).toBeGreaterThanOrEqual(2)
})

test('an event that the handler refused is sent again', async () => {
  await using _ = disposable(await handler([false]))
  notifier.notify('Deleted', domain('Shutoff'))

  expect(await notifier.delivered(5_000)).toBe(true)
  expect(received.length).toBeGreaterThanOrEqual(2)
})

test('waiting for a handler that never comes has an end', async () => {
  notifier.notify('Modified', domain('Running'))

  expect(await notifier.delivered(50)).toBe(false)
})

function disposable(server: RpcServer): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => server.close() }
}
