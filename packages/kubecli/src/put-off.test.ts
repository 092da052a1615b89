import { expect, test } from '@jest/globals'
import { putOffs } from './put-off.ts'

const answer = (status: number, text = '', headers = {}) => ({ status, headers, body: Buffer.from(text) })
const refused = 'error trying to reach service: dial tcp 10.96.0.9:443: connect: connection refused\n'

test('a server that names a time is asked again after it, a few times', () => {
  const putOff = putOffs(undefined)
  const busy = answer(503, '', { 'retry-after': '2' })

  expect([1, 2, 3, 4, 5, 6].map(() => putOff(busy))).toEqual([2000, 2000, 2000, 2000, 2000, undefined])
  expect(putOffs(undefined)(answer(429))).toBe(1000)
})

test.each(['service unavailable\n', refused])(
  'who has patience waits for an API that was not reached, and is told so once: %s',
  (text) => {
    const told: string[] = []
    const putOff = putOffs({ forMs: 60_000, onWait: (reason) => told.push(reason) })

    expect(putOff(answer(503, text))).toBeGreaterThan(0)
    expect(putOff(answer(503, text))).toBeGreaterThan(0)
    expect(told).toEqual([text.trim()])
    expect(putOffs(undefined)(answer(503, text))).toBeUndefined()
    expect(putOffs({ forMs: -1, onWait: () => undefined })(answer(503, text))).toBeUndefined()
  },
)

test('what may have been carried out is not sent again', () => {
  const putOff = putOffs({ forMs: 60_000, onWait: () => undefined })

  expect(putOff(answer(503, 'error trying to reach service: EOF'))).toBeUndefined()
  expect(putOff(answer(503, '{"kind":"Status","message":"the launcher is not ready"}'))).toBeUndefined()
  expect(putOff(answer(500, refused))).toBeUndefined()
})
