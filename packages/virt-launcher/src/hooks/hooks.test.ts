import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type HookHandlers, serveHooks } from '@kubevirt-ts/handler-launcher-com'
import { vmi } from '@kubevirt-ts/libvmi'
import { createLogger } from '@kubevirt-ts/service'
import { collectHooks } from './collect.ts'
import { hooksOf } from './index.ts'

const log = createLogger({ component: 'test', destination: { write() {} } })
const longMs = 30_000
const content = {
  DataSource: 'noCloud' as const,
  NoCloudMetaData: { 'instance-id': 'i' },
  UserData: '#cloud-config',
  NetworkData: '',
  VolumeName: 'seed',
}

let folder: string
let closing: (() => Promise<void>)[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooks-'))
  closing = []
})
afterEach(async () => {
  for (const close of closing) await close()
  rmSync(folder, { recursive: true })
})

type Sidecar = { name: string; versions?: string[]; priority?: number; points?: string[] }

async function sidecar(
  { name, versions = ['v1alpha3'], priority = 0, points = ['OnDefineDomain'] }: Sidecar,
  handlers: Partial<HookHandlers>,
): Promise<void> {
  mkdirSync(join(folder, name))
  const info = { name, versions, hookPoints: points.map((point) => ({ name: point, priority })) }
  const server = await serveHooks(join(folder, name, 'hook.sock'), info, handlers)
  closing.push(() => server.close())
}

const appends = (word: string): Partial<HookHandlers> => ({
  onDefineDomain: async ({ domainXML }) => ({ domainXML: Buffer.from(`${domainXML.toString()}${word}`) }),
})

async function collected(count: number) {
  const hooks = hooksOf(collectHooks(folder, count, longMs), log)
  closing.unshift(() => hooks.shutdown())
  return hooks
}

test('without sidecars nothing is waited for and nothing changes', async () => {
  const hooks = hooksOf(collectHooks(join(folder, 'not-there'), 0, 0), log)

  expect(await hooks.onDefineDomain('<domain/>', vmi())).toBe('<domain/>')
  expect(await hooks.preCloudInitIso(content, vmi())).toBe(content)
})

test('sidecars see the domain one after the other, the highest priority first, in every version', async () => {
  await sidecar({ name: 'last', priority: 1 }, appends('c'))
  await sidecar({ name: 'second', priority: 5, versions: ['v1alpha1', 'v1alpha2'] }, appends('b'))
  await sidecar({ name: 'first', priority: 5, versions: ['v1alpha1'] }, appends('a'))

  const hooks = await collected(3)

  expect(await hooks.onDefineDomain('', vmi())).toBe('abc')
})

test('a sidecar that comes later is waited for', async () => {
  const hooks = await collected(1)
  const defined = hooks.onDefineDomain('<domain>', vmi())
  await sidecar({ name: 'late' }, appends('</domain>'))

  expect(await defined).toBe('<domain></domain>')
})

test('a sidecar changes the cloud-init data', async () => {
  await sidecar(
    { name: 'today', points: ['PreCloudInitIso'] },
    {
      preCloudInitIso: async ({ cloudInitData }) => {
        const data = JSON.parse(cloudInitData.toString()) as typeof content
        return {
          cloudInitData: Buffer.from(JSON.stringify({ ...data, UserData: `${data.UserData}\nhostname: hooked` })),
        }
      },
    },
  )

  const hooks = await collected(1)

  expect(await hooks.preCloudInitIso(content, vmi())).toEqual({
    ...content,
    UserData: '#cloud-config\nhostname: hooked',
  })
})

test('a sidecar of the first kind changes the texts that it knows', async () => {
  await sidecar(
    { name: 'old', versions: ['v1alpha2'], points: ['PreCloudInitIso'] },
    {
      preCloudInitIso: async ({ cloudInitNoCloudSource }) => {
        const { userData } = JSON.parse(cloudInitNoCloudSource.toString()) as { userData: string }
        return { cloudInitNoCloudSource: Buffer.from(JSON.stringify({ userData: `${userData} changed` })) }
      },
    },
  )

  const hooks = await collected(1)

  expect(await hooks.preCloudInitIso(content, vmi())).toEqual({ ...content, UserData: '#cloud-config changed' })
})

test('a sidecar that fails keeps the guest from being defined, and is named', async () => {
  await sidecar(
    { name: 'broken' },
    {
      onDefineDomain: async () => {
        throw new Error('no such disk')
      },
    },
  )

  const hooks = await collected(1)

  await expect(hooks.onDefineDomain('<domain/>', vmi())).rejects.toMatchObject({
    reason: 'HookFailed',
    message: expect.stringMatching(/hook sidecar broken failed: .*no such disk/),
  })
})

test('sidecars that do not come are an error that counts them', async () => {
  await sidecar({ name: 'only' }, appends(''))

  await expect(collectHooks(folder, 2, 0)).rejects.toMatchObject({
    reason: 'HookSidecarMissing',
    message: expect.stringContaining('1 of 2'),
  })
})

test('a sidecar of an unknown version is an error', async () => {
  await sidecar({ name: 'future', versions: ['v9'] }, {})

  await expect(collectHooks(folder, 1, longMs)).rejects.toMatchObject({ reason: 'HookVersionUnknown' })
})

test('sidecars are told of the end', async () => {
  let told = 0
  await sidecar({ name: 'ending', points: ['Shutdown'] }, { shutdown: async () => (told++, {}) })
  const hooks = hooksOf(collectHooks(folder, 1, longMs), log)

  await hooks.shutdown()

  expect(told).toBe(1)
})
