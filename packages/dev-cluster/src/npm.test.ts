import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { npmSpokeFirst } from './npm.ts'

const seenBy = (...npm: readonly string[]): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'npm-'))
  try {
    const script = `${process.execPath} -p "'ENV' + JSON.stringify(process.env)"`
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { show: script } }))
    const env = { PATH: process.env['PATH'], HOME: folder, NO_UPDATE_NOTIFIER: '1' }
    const output = execFileSync('npm', [...npm, 'show'], { cwd: folder, env, encoding: 'utf8' })
    const speaks = npmSpokeFirst(JSON.parse(/^ENV(.*)$/m.exec(output)?.[1] ?? '{}') as NodeJS.ProcessEnv)
    expect(output.trimStart().startsWith('>')).toBe(speaks)
    return speaks
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('npm speaks before a script of `npm run`, and is silent with -s', () => {
  expect([seenBy('run'), seenBy('run', '-s')]).toEqual([true, false])
})

it('npm does not speak where it does not run', () => {
  expect(npmSpokeFirst({ PATH: '/usr/bin' })).toBe(false)
})
