import { expect, test } from '@jest/globals'
import { createLogger } from './log.ts'
import { runService, type RunningService } from './run.ts'

/** A process whose signals the test sends and whose exit it waits for. */
function fakeProcess() {
  const listeners = new Map<string, (value: unknown) => void>()
  const exited = Promise.withResolvers<number>()
  return {
    on: (event: string, listener: (value: unknown) => void) => listeners.set(event, listener),
    exit: (code: number) => exited.resolve(code),
    send: (event: string, value?: unknown) => listeners.get(event)?.(value),
    exited: exited.promise,
  }
}

function running(start: (signal: AbortSignal) => Promise<RunningService>, stopTimeoutMs = 1000) {
  const process = fakeProcess()
  const lines: string[] = []
  const log = createLogger({ component: 'test', destination: { write: (line) => void lines.push(line) } })
  void runService('test', start, { log, process, stopTimeoutMs })
  return { process, lines }
}

test('SIGTERM aborts the signal, stops the service and exits with 0', async () => {
  const order: string[] = []
  const { process } = running(async (signal) => {
    signal.addEventListener('abort', () => order.push('aborted'))
    return { stop: async () => void order.push('stopped') }
  })
  await new Promise(setImmediate)

  process.send('SIGTERM')

  expect(await process.exited).toBe(0)
  expect(order).toEqual(['aborted', 'stopped'])
})

test.each<[string, () => Promise<RunningService>]>([
  ['a start that fails', () => Promise.reject(new Error('no cluster'))],
  [
    'a service that fails',
    async () => ({ stop: async () => undefined, done: Promise.reject(new Error('no cluster')) }),
  ],
  ['a stop that fails', async () => ({ stop: () => Promise.reject(new Error('no cluster')), done: Promise.resolve() })],
])('%s exits with 1 and says why', async (_, start) => {
  const { process, lines } = running(start)

  expect(await process.exited).toBe(1)
  expect(lines.join('')).toContain('no cluster')
})

test('an error that nobody handles ends the service', async () => {
  const { process, lines } = running(async () => ({ stop: async () => undefined }))
  await new Promise(setImmediate)

  process.send('unhandledRejection', new Error('forgotten'))

  expect(await process.exited).toBe(1)
  expect(lines.join('')).toContain('forgotten')
})

test('a stop that takes too long exits with 1', async () => {
  const { process } = running(async () => ({ stop: () => new Promise(() => undefined), done: Promise.resolve() }), 5)
  expect(await process.exited).toBe(1)
})
