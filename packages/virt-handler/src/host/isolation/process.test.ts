import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { identify, isAlive } from './process.ts'

test('a process is alive until it ends', async () => {
  const child = spawn('sleep', ['60'])
  const process = identify(child.pid as number)
  expect(process && isAlive(process)).toBe(true)

  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await ended

  expect(process && isAlive(process)).toBe(false)
})

test('another process with the same number is not the one that was meant', () => {
  expect(isAlive({ pid: process.pid, startTime: '1' })).toBe(false)
  expect(identify(2 ** 22 + 1)).toBeUndefined()
})
