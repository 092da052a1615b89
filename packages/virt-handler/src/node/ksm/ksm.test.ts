import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { annotation, type KSMConfiguration, label, type Node } from '@kubevirt-ts/api'
import { createLogger } from '@kubevirt-ts/service'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KsmDeps, merge } from './index.ts'
import { memoryOf, scanFor } from './tuning.ts'

const gibibyte = 1024 ** 3

describe('the scan for equal pages', () => {
  const short = { total: 64 * gibibyte, available: 10 * gibibyte }
  const ample = { total: 64 * gibibyte, available: 20 * gibibyte }

  test.each([
    ['begins when memory is scarce', short, { runs: false, pages: 500 }, { runs: true, pages: 100 }],
    ['looks at more pages while it is', short, { runs: true, pages: 100 }, { runs: true, pages: 400 }],
    ['but not at all of them', short, { runs: true, pages: 1100 }, { runs: true, pages: 1250 }],
    ['looks at fewer when there is enough', ample, { runs: true, pages: 400 }, { runs: true, pages: 350 }],
    ['ends when it hardly looks at any', ample, { runs: true, pages: 100 }, { runs: false, pages: 64 }],
    ['is not begun without need', ample, { runs: false, pages: 1250 }, { runs: false, pages: 1200 }],
  ])('%s', (_, memory, now, expected) => {
    expect(scanFor(memory, now)).toEqual({ ...expected, sleepMs: 10 })
  })

  test('rests longer where there is less memory', () => {
    expect(scanFor({ total: 4 * gibibyte, available: 0 }, { runs: false, pages: 0 }).sleepMs).toBe(40)
  })

  test('goes by what the kernel says', () => {
    expect(memoryOf('MemTotal:       100 kB\nMemFree:   1 kB\nMemAvailable:    30 kB\n')).toEqual({
      total: 102_400,
      available: 30_720,
    })
  })
})

describe('merging on a node', () => {
  let folder: string
  let node: Node
  let patches: object[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ksm-'))
    mkdirSync(join(folder, 'kernel/mm/ksm'), { recursive: true })
    for (const [file, value] of Object.entries({ run: '0', pages_to_scan: '100', sleep_millisecs: '20' }))
      set(file, value)
    writeFileSync(join(folder, 'meminfo'), 'MemTotal: 16777216 kB\nMemAvailable: 1024 kB\n')
    node = { metadata: { name: 'n', labels: { pool: 'dense' } } } as Node
    patches = []
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const set = (file: string, value: string): void => writeFileSync(join(folder, 'kernel/mm/ksm', file), value)
  const read = (...files: string[]): string[] =>
    files.map((file) => readFileSync(join(folder, 'kernel/mm/ksm', file), 'utf8'))
  const look = async (ksmConfiguration?: KSMConfiguration): Promise<void> => {
    const client = {
      get: async () => node,
      patch: async (_resource: unknown, _key: unknown, { metadata }: { metadata: Node['metadata'] }) => {
        patches.push(metadata)
        Object.assign(node.metadata, {
          labels: { ...node.metadata.labels, ...metadata.labels },
          annotations: { ...node.metadata.annotations, ...metadata.annotations },
        })
      },
    } as unknown as KsmDeps['client']
    const clusterConfig = { configuration: () => ({ ksmConfiguration }) } as unknown as KsmDeps['clusterConfig']
    const log = createLogger({ component: 'test', destination: { write: () => undefined } })
    await merge({ client, node: 'n', clusterConfig, sysfs: folder, meminfo: join(folder, 'meminfo'), log })
  }
  const dense = { nodeLabelSelector: { matchLabels: { pool: 'dense' } } }

  test('begins where the selector chooses it, is told once by its label, and ends when it chooses it no more', async () => {
    await look(dense)
    await look(dense)
    expect(read('run', 'pages_to_scan', 'sleep_millisecs')).toEqual(['1', '400', '10'])
    expect(patches).toEqual([
      { labels: { [label.ksmEnabled]: 'true' }, annotations: { [annotation.ksmHandlerManaged]: 'true' } },
    ])

    await look({ nodeLabelSelector: { matchLabels: { pool: 'other' } } })
    expect(read('run')).toEqual(['0'])
    expect(node.metadata.labels?.[label.ksmEnabled]).toBe('false')
  })

  test('is chosen everywhere by an empty selector, and nowhere without one', async () => {
    await look({})
    expect(read('run')).toEqual(['0'])
    await look({ nodeLabelSelector: {} })
    expect(read('run')).toEqual(['1'])
  })

  test('stays on where an administrator switched it on, and the label says so', async () => {
    set('run', '1')
    await look()
    expect(read('run', 'pages_to_scan')).toEqual(['1', '100'])
    expect(node.metadata.labels?.[label.ksmEnabled]).toBe('true')
  })

  test('is nothing to a kernel without it', async () => {
    rmSync(join(folder, 'kernel'), { recursive: true })
    await look(dense)
    expect(patches).toEqual([])
  })
})
