import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { silentLog } from '@kubevirt-ts/controller/testing'
import type { Domain } from '@kubevirt-ts/domain'
import { createNotifyClient, encodeJson } from '@kubevirt-ts/handler-launcher-com'
import { startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import { openStateFolder } from '../host/state-folder.ts'
import { DomainCache } from './domain-cache.ts'
import type { GhostRecord } from './ghost-record.ts'
import { LauncherClients } from './launcher-clients.ts'

const guest = { namespace: 'default', name: 'testvm', uid: 'uid-1' }
let folder = ''
let domains: DomainCache
let clients: LauncherClients

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vh-'))
  domains = new DomainCache(() => undefined)
  const quiet = { onChange: () => undefined, onEvent: () => undefined, onSilent: () => undefined, log: silentLog() }
  const records = await openStateFolder<GhostRecord>(join(folder, 'records'))
  clients = new LauncherClients({ records, podsFolder: folder, domains, ...quiet }, { resyncMs: 1e6, watchdogMs: 1e6 })
})

afterEach(async () => {
  await clients.close()
  await rm(folder, { recursive: true })
})

const path = (podUid: string, volume: string): string => emptyDirPath(folder, podUid, volume)

async function startPod(podUid: string) {
  for (const volume of ['sockets', 'public']) await mkdir(path(podUid, volume), { recursive: true })
  return startFakeLauncher(join(path(podUid, 'sockets'), 'launcher-sock'))
}

async function tell(podUid: string): Promise<void> {
  const running = { metadata: guest, status: { status: 'Running', reason: 'Migrated' } } as Domain
  const notify = createNotifyClient(join(path(podUid, 'public'), 'domain-notify-pipe.sock'))
  await notify.handleDomainEvent({ domainJSON: encodeJson(running), eventType: 'Modified' })
  notify.close()
}

test('a guest that comes back while its first stay is forgotten, twice even, is heard', async () => {
  await using _first = await startPod('pod-1')
  await using _second = await startPod('pod-2')
  await clients.connect(guest, 'pod-1')

  const forgotten = clients.forget(guest.uid, 'pod-1')
  const back = forgotten.then(() => clients.connect(guest, 'pod-2'))
  const again = forgotten.then(() => clients.forget(guest.uid, 'pod-1'))
  await Promise.all([back, again])

  expect(clients.get(guest.uid)?.podUid).toBe('pod-2')
  expect(clients.podUid(guest.uid)).toBe('pod-2')
  await tell('pod-2')
  expect(domains.get(guest.uid)?.status.status).toBe('Running')
})

test('a guest is heard in its new pod though that of an earlier stay was tried first', async () => {
  await mkdir(path('pod-1', 'sockets'), { recursive: true })
  await mkdir(path('pod-1', 'public'), { recursive: true })
  expect(await clients.connect(guest, 'pod-1')).toBeUndefined()
  await using _second = await startPod('pod-2')

  await clients.connect(guest, 'pod-2')

  await tell('pod-2')
  expect(domains.get(guest.uid)?.status.status).toBe('Running')
})

test('a guest that was forgotten is not heard any more', async () => {
  await using _first = await startPod('pod-1')
  await clients.connect(guest, 'pod-1')

  await clients.forget(guest.uid, 'pod-1')

  expect(clients.knows(guest.uid)).toBe(false)
  await expect(tell('pod-1')).rejects.toThrow()
})
