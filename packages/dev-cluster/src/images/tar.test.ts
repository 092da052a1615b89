import { execFileSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { tarOf } from './tar.ts'

describe('a tar archive', () => {
  const archive = tarOf([
    { path: 'bin/' },
    { path: 'bin/x', content: Buffer.from('hello') },
    { path: 'tmp/', mode: 0o1777 },
  ])

  it('is understood by tar', () => {
    const list = execFileSync('tar', ['-tv', '--numeric-owner'], { input: archive, env: { ...process.env, TZ: 'UTC' } })
    expect(list.toString().trim().split('\n')).toEqual([
      'drwxr-xr-x 0/0               0 1970-01-01 00:00 bin/',
      '-rwxr-xr-x 0/0               5 1970-01-01 00:00 bin/x',
      'drwxrwxrwt 0/0               0 1970-01-01 00:00 tmp/',
    ])
    expect(execFileSync('tar', ['-xO', 'bin/x'], { input: archive }).toString()).toBe('hello')
  })
})
