import { expect, test } from '@jest/globals'
import { progressOfJob } from './watch.ts'

const job = { elapsedMs: 2_000, dataTotal: 300, dataProcessed: 200, dataRemaining: 100, memoryTotal: 250 }

test('progress is what libvirt counts, with the rate since the beginning', () => {
  expect(progressOfJob(job, 1_000)).toEqual({ totalBytes: 300, remainingBytes: 100, bytesPerSecond: 100 })
})

test('while only disks are copied the memory that follows them is still to come', () => {
  const disks = { ...job, dataTotal: 50, dataRemaining: 10, memoryTotal: 0 }
  expect(progressOfJob(disks, 1_000)).toMatchObject({ totalBytes: 1_000, remainingBytes: 960 })
  expect(progressOfJob(disks, 20)).toMatchObject({ totalBytes: 50, remainingBytes: 10 })
})
