import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { run } from '../src/root.ts'
import { api, interrupt, terminal } from './command-line.ts'

describe('render', () => {
  const machine = (evictionStrategy: string) =>
    JSON.stringify({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'web' },
      spec: { evictionStrategy, domain: { memory: { guest: '128Mi' }, devices: {} } },
    })

  /** Runs `render` on a file with the text. */
  async function rendered(text: string, ...flags: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'virtctl-'))
    const file = join(folder, 'vmi.json')
    writeFileSync(file, text)
    try {
      const used = terminal()
      const code = await run(['render', file, ...flags], 'virtctl', used, interrupt.signal)
      return { code, out: used.out(), err: used.err() }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  test('prints the domain without asking a cluster', async () => {
    const { code, out, err } = await rendered(machine('None'), '--output', 'domain')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('<name>default_web</name>')
    expect(api.seen).toEqual([])
  })

  test('tells a refusal by its exit code', async () => {
    const { code, out } = await rendered(machine('Never'), '-o', 'admission')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({ allowed: false, causes: [{ field: 'spec.evictionStrategy' }] })
  })

  test('a broken file or flag is told', async () => {
    expect(await rendered('a: [')).toMatchObject({ code: 1, out: '' })
    expect(await rendered(machine('None'), '-o', 'svg')).toMatchObject({ code: 1, out: '' })
  })
})
