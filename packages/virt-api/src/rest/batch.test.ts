import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Batch } from './batch.ts'

/** A side whose writes end when the test says so. */
function slowSide() {
  const written: string[] = []
  const waiting: (() => void)[] = []
  const side = new Duplex({
    read: () => undefined,
    write: (data: Buffer, _, done) => {
      written.push(data.toString())
      waiting.push(() => done())
    },
  })
  return { side, written, flush: () => waiting.shift()!() }
}

test('what comes in one turn goes out together, what comes during a write after it', async () => {
  const { side, written, flush } = slowSide()
  const batch = new Batch(side, () => undefined)
  const bytes = Buffer.from('ab')
  expect(batch.take(bytes)).toBe(true)
  bytes.write('cd')
  batch.take(bytes)
  await turn()
  expect(written).toEqual(['abcd'])
  batch.take(Buffer.from('ef'))
  batch.take(Buffer.from('gh'))
  await turn()
  expect(written).toEqual(['abcd'])
  flush()
  await turn()
  expect(written).toEqual(['abcd', 'efgh'])
})

test('a source that is faster than the other side is held back, and goes on when that has caught up', async () => {
  const { side, written, flush } = slowSide()
  let resumed = 0
  const batch = new Batch(side, () => resumed++)
  batch.take(Buffer.from('first'))
  await turn()
  const record = Buffer.alloc(16 * 1024, 'x')
  expect([1, 2, 3, 4].map(() => batch.take(record))).toEqual([true, true, true, false])
  // What was on its way is taken, too.
  expect(batch.take(record)).toBe(false)
  expect(resumed).toBe(0)
  flush()
  await turn()
  expect(resumed).toBe(1)
  expect(written[1]).toHaveLength(5 * 16 * 1024)
})

test('the end waits for what was taken', async () => {
  const { side, flush } = slowSide()
  const batch = new Batch(side, () => undefined)
  let done = false
  batch.take(Buffer.from('last'))
  batch.finish(() => (done = true))
  await turn()
  expect(done).toBe(false)
  flush()
  await turn()
  expect(done).toBe(true)
})
