import { expect, test } from '@jest/globals'
import { limiting, PluginFailure, trusting } from './guard.ts'

test('a throw tells which plugin failed where', () => {
  const fail = () => {
    throw new Error('boom')
  }
  expect(() => trusting.call('Mine', 'filter', fail)).toThrow('plugin Mine failed at filter: boom')
  expect(() => limiting(1000).call('Mine', 'filter', fail)).toThrow('plugin Mine failed at filter: boom')
})

test('a plugin that loops without end is interrupted', () => {
  const loop = () => {
    for (;;);
  }
  expect(() => limiting(20).call('Mine', 'filter', loop)).toThrow('no answer within 20 ms')
})

test('a promise that never settles is given up', async () => {
  // On a busy machine the time is over before there is a promise.
  const never = async () => limiting(20).call('Mine', 'bind', () => new Promise(() => undefined))
  await expect(never()).rejects.toThrow(PluginFailure)
})

test('answers pass, given at once or later', async () => {
  expect(limiting(1000).call('Mine', 'filter', () => 1)).toBe(1)
  expect(await limiting(1000).call('Mine', 'filter', async () => 2)).toBe(2)
})
