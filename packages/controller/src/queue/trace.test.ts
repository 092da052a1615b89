import { expect, test } from '@jest/globals'
import { noteStep, traced } from './trace.ts'

test('each key has its own steps, however many keys are at work', async () => {
  const both = Promise.withResolvers<void>()
  const first = traced(async () => {
    noteStep('get pods', 3)
    await both.promise
    noteStep('create pods', 5)
  })
  const second = traced(async () => {
    noteStep('patch nodes', 1)
    both.resolve()
  })
  const words = (steps: readonly { what: string }[]): string[] => steps.map(({ what }) => what)
  expect(words(await first)).toEqual(['get pods', 'create pods'])
  expect(words(await second)).toEqual(['patch nodes'])
})

test("steps outside of the work on a key are nobody's", async () => {
  noteStep('get pods', 1)
  expect(await traced(async () => undefined)).toEqual([])
})
