import { expect, test } from '@jest/globals'
import { createLogger } from '@kubevirt-ts/service'
import type { Launcher } from '../launcher.ts'
import { progressOfJob, watchMigration } from './watch.ts'

const job = { elapsedMs: 2_000, dataTotal: 300, dataProcessed: 200, dataRemaining: 100, memoryTotal: 250 }

test('progress is what libvirt counts, with the rate since the beginning', () => {
  expect(progressOfJob(job, 1_000)).toEqual({ totalBytes: 300, remainingBytes: 100, bytesPerSecond: 100 })
})

test('while only disks are copied the memory that follows them is still to come', () => {
  const disks = { ...job, dataTotal: 50, dataRemaining: 10, memoryTotal: 0 }
  expect(progressOfJob(disks, 1_000)).toMatchObject({ totalBytes: 1_000, remainingBytes: 960 })
  expect(progressOfJob(disks, 20)).toMatchObject({ totalBytes: 50, remainingBytes: 10 })
})

test('what was left of the disks says nothing of the memory that follows them', async () => {
  const left = [
    { ...job, elapsedMs: 1, dataRemaining: 5, memoryTotal: 0 },
    { ...job, elapsedMs: 900, dataRemaining: 1_000 },
    { ...job, elapsedMs: 1_500, dataRemaining: 900 },
  ]
  const ending = new AbortController()
  const aborts: string[] = []
  const domain = {
    job: async () => left.shift() ?? ending.abort(),
    setMaxDowntime: async () => undefined,
    abortJob: async () => void aborts.push('aborted'),
  }
  const launcher = {
    state: {},
    libvirt: { ask: async (use: (asked: unknown) => Promise<unknown>) => use(domain) },
    log: createLogger({ component: 'test', destination: { write() {} } }),
    onFacts: () => undefined,
  } as unknown as Launcher
  const options = {
    Bandwidth: 0,
    ProgressTimeout: 1,
    CompletionTimeoutPerGiB: 0,
    UnsafeMigration: false,
    AllowAutoConverge: false,
    AllowPostCopy: false,
    AllowWorkloadDisruption: false,
  }

  await watchMigration(1_000, options, launcher, ending.signal).ended

  expect(left).toEqual([])
  expect(aborts).toEqual([])
})
