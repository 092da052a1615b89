import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerMetrics } from './channel.ts'
import { writeMetricsDisk } from './disk.ts'
import { metricsOf, metricsXml } from './metrics.ts'

const host = {
  meminfo: 'MemTotal:  1000 kB\nMemFree:  300 kB\nMemAvailable:  400 kB\nSwapTotal:  50 kB\nSwapFree:  20 kB\n',
  stat: 'cpu  100 20 30 4000 5\ncpu0 1 1 1 1\ncpu1 1 1 1 1\n',
  vmstat: 'pswpin 3\npswpout 4\n',
}
const guest = { 'cpu.time': 2_500_000_000, 'vcpu.current': 2, 'balloon.current': 1024, 'balloon.maximum': 2048 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'metrics-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a guest is told of its host and of itself', () => {
  const metrics = metricsOf('node-1', host, guest, new Date(5_000))
  expect(Object.fromEntries(metrics.map(({ context, name, value }) => [`${context} ${name}`, value]))).toEqual({
    'host HostName': 'node-1',
    'host HostSystemInfo': 'linux',
    'host VirtualizationVendor': 'KubeVirt',
    'host NumberOfPhysicalCPUs': 2,
    'host TotalCPUTime': '1.500000',
    'host FreePhysicalMemory': 300,
    'host FreeVirtualMemory': 320,
    'host MemoryAllocatedToVirtualServers': 600,
    'host UsedVirtualMemory': 630,
    'host PagedInMemory': 12,
    'host PagedOutMemory': 16,
    'host Time': 5,
    'vm TotalCPUTime': '2.500000',
    'vm ResourceProcessorLimit': 2,
    'vm PhysicalMemoryAllocatedToVirtualSystem': 1024,
    'vm ResourceMemoryLimit': 2048,
  })
  expect(metricsXml(metrics)).toContain(
    '  <metric type="uint64" context="host" unit="KiB">\n    <name>FreePhysicalMemory</name>\n    <value>300</value>\n',
  )
})

test('the disk has a header with sum and length, keeps its size, and stays the same file', async () => {
  const path = join(folder, 'disks', 'vhostmd0')
  await writeMetricsDisk(path, '')
  const { ino } = statSync(path)
  await writeMetricsDisk(path, 'abc')
  const disk = readFileSync(path)
  expect(disk.subarray(0, 4).toString()).toBe('mvbd')
  expect([4, 8, 12].map((at) => disk.readUInt32BE(at))).toEqual([0, 97 + 98 + 99, 3])
  expect(disk.subarray(16, 19).toString()).toBe('abc')
  expect([disk.length, statSync(path).ino]).toEqual([256 * 1024, ino])
})

test('requests on the channel are answered in turn, in pieces too, and others are refused', async () => {
  const path = join(folder, 'channel.sock')
  const qemu = createServer().listen(path)
  await once(qemu, 'listening')
  const ended = Promise.withResolvers<void>()
  const channel = answerMetrics(path, async () => '<metrics/>\n', ended.resolve)
  const [end] = (await once(qemu, 'connection')) as [Socket]
  let said = ''
  const enough = Promise.withResolvers<void>()
  end.on('data', (bytes: Buffer) => {
    said += bytes.toString()
    if (said.length >= 41) enough.resolve()
  })

  end.write('GET /metr')
  end.write('ics/XML\n\nGET /other\n\nGET /metrics/XML\n\n')
  await enough.promise
  expect(said).toBe('<metrics/>\n\nINVALID REQUEST\n\n<metrics/>\n\n')

  end.end()
  await ended.promise
  channel.destroy()
  qemu.close()
})
