import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { raiseMemoryLockLimit } from './memory-lock.ts'

const limitOf = (text: string): string | undefined => /^Max locked memory +(\d+)/m.exec(text)?.[1]

test('a process and what it starts may lock as much memory as they are told, never less than before', async () => {
  const script = 'ulimit -Sl 1024; echo ready; read go; cat /proc/self/limits'
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(shell.stdout, 'data')
  raiseMemoryLockLimit(shell.pid!, 2_097_152n)
  raiseMemoryLockLimit(shell.pid!, 4096n)
  expect(limitOf(readFileSync(`/proc/${shell.pid}/limits`, 'utf8'))).toBe('2097152')
  shell.stdin.end('go\n')
  const [said] = (await once(shell.stdout, 'data')) as [Buffer]
  expect(limitOf(said.toString())).toBe('2097152')
})

test('a process that has ended is told as such', async () => {
  const ended = spawn('true')
  await once(ended, 'close')
  expect(() => raiseMemoryLockLimit(ended.pid!, 1n)).toThrow(expect.objectContaining({ code: 'ESRCH' }))
})
