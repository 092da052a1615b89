import { expect, test } from '@jest/globals'
import { Lane, Lanes } from './lane.ts'

test('a task begins when the one before it has ended, also when that failed', async () => {
  const lane = new Lane()
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = lane.run(async () => {
    seen.push('first begins')
    await first.promise
    throw new Error('first failed')
  })
  const second = lane.run(async () => void seen.push('second'))
  await Promise.resolve()
  expect(lane.isFree).toBe(false)

  first.resolve()

  await expect(failing).rejects.toThrow('first failed')
  await second
  expect(seen).toEqual(['first begins', 'second'])
  expect(lane.isFree).toBe(true)
})

test('tasks of one key follow each other, those of another go on, and a key without tasks is forgotten', async () => {
  const lanes = new Lanes()
  const seen: string[] = []
  const held = Promise.withResolvers<void>()
  const slow = lanes.run('a', () => held.promise.then(() => void seen.push('a1')))
  const behind = lanes.run('a', async () => void seen.push('a2'))
  await lanes.run('b', async () => void seen.push('b'))
  expect(lanes.size).toBe(1)

  held.resolve()

  await Promise.all([slow, behind])
  expect(seen).toEqual(['b', 'a1', 'a2'])
  expect(lanes.size).toBe(0)
})
