import { expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Interface } from '@kubevirt-ts/api'
import { vmi } from '@kubevirt-ts/libvmi'
import { checkPasst } from './passt-limit.ts'

const every: Interface = { name: 'default', passtBinding: {} }
const listed: Interface = { ...every, ports: [{ port: 80 }] }

test.each<[string, Interface, string, boolean]>([
  ['all ports within a low limit are refused', every, '20000', true],
  ['all ports within a high limit are not', every, '1048576', false],
  ['nor without one', every, 'unlimited', false],
  ['ports that are listed need no more', listed, '20000', false],
  ['another binding has no sockets', { name: 'default', bridge: {} }, '20000', false],
])('%s', async (_, card, most, isRefused) => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'))
  const limits = join(folder, 'limits')
  writeFileSync(limits, `Limit  Soft Limit  Hard Limit  Units\nMax open files            1024   ${most}   files\n`)
  const guest = vmi()
  guest.spec.domain.devices = { interfaces: [card] }
  guest.spec.networks = [{ name: 'default', pod: {} }]

  const refusal = await checkPasst(guest, limits).then(
    () => undefined,
    (error: unknown) => error,
  )

  expect(refusal === undefined).toBe(!isRefused)
  if (isRefused) expect(refusal).toMatchObject({ reason: 'TooFewOpenFiles', message: expect.stringContaining('20000') })
  rmSync(folder, { recursive: true })
})
