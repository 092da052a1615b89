import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { allowLockedMemory } from './memory-lock.ts'

test('a process may lock more, and so may those that it has started', async () => {
  const outer = spawn('sh', ['-c', 'ulimit -Sl 1024; sleep 60 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = (await once(outer.stdout, 'data')) as [Buffer]
  const inner = Number(said.toString())
  try {
    allowLockedMemory(outer.pid!, 2_097_152n)
    for (const pid of [outer.pid, inner])
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max locked memory +2097152 /m)
  } finally {
    process.kill(inner)
    await once(outer, 'close')
  }
})
