import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createLogger, parseOptions } from '@kubevirt-ts/service'
import { runLauncher } from './app.ts'
import { launcherOptions } from './options.ts'

test('a launcher that shall crash does so before it has made or started anything', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  const argv = ['--name', 'vm', '--namespace', 'ns', '--uid', 'u', '--simulate-crash']
  const options = parseOptions(launcherOptions, [...argv, '--kubevirt-share-dir', join(folder, 'share')], {})
  const log = createLogger({ component: 'test', destination: { write() {} } })

  const running = runLauncher(options, log, AbortSignal.timeout(60_000))

  await expect(running).rejects.toMatchObject({ reason: 'SimulatedCrash' })
  expect(existsSync(join(folder, 'share'))).toBe(false)
  rmSync(folder, { recursive: true })
})
