import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { identityOf, isRunning, parseStat } from './identity.ts'

describe('the identity of a process', () => {
  it('is read past a command that looks like other fields', () => {
    const stat = `42 (a) b (c) S 7 42 42 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 987654 1000 1 18446744073709551615`
    expect(parseStat(stat)).toEqual({ state: 'S', parent: 7, startTime: '987654' })
  })

  it('holds while the process runs, and not after', async () => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    const identity = identityOf(child.pid ?? 0)
    expect(identity && isRunning(identity)).toBe(true)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(identity && isRunning(identity)).toBe(false)
  })

  it('is not that of another process with the same number', () => {
    const own = identityOf(process.pid)
    expect(own && isRunning({ ...own, startTime: '1' })).toBe(false)
    expect(own && isRunning({ ...own, boot: 'another' })).toBe(false)
  })
})
