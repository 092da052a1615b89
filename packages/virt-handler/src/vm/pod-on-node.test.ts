import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import { podUidOn } from './pod-on-node.ts'

let pods: string
const servers: Server[] = []
beforeEach(() => {
  pods = mkdtempSync(join(tmpdir(), 'pods-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) server.close()
  rmSync(pods, { recursive: true })
})

const guest = vmi(withStatus({ activePods: { earlier: 'node-1', now: 'node-1', elsewhere: 'node-2' } }))
const unknown = { podUid: () => undefined, state: () => 'absent' as const }
const found = (): string | undefined => podUidOn('node-1', guest, unknown, pods)

/** The folder that the kubelet makes for a pod's launcher to listen in. */
const folderOf = (podUid: string): string => {
  const folder = emptyDirPath(pods, podUid, 'sockets')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** A launcher that listens, as it does: under another name first. Answers how to end it. */
async function launcherIn(podUid: string): Promise<() => Promise<unknown>> {
  const folder = folderOf(podUid)
  const server = createServer().listen(join(folder, 'launcher-init-sock'))
  servers.push(server)
  await once(server, 'listening')
  renameSync(join(folder, 'launcher-init-sock'), join(folder, 'launcher-sock'))
  return () => once(server.close(), 'close')
}

test('a pod whose launcher has not begun to listen is the one, unless another could be, too', async () => {
  expect(found()).toBeUndefined()

  folderOf('now')
  expect(found()).toBe('now')

  await launcherIn('earlier')
  expect(found()).toBeUndefined()
})

test('an earlier pod whose launcher has ended is passed over, whether or not the new one is there yet', async () => {
  const end = await launcherIn('earlier')
  await end()
  expect(found()).toBeUndefined()

  folderOf('now')
  expect(found()).toBe('now')
})

test('a pod that is remembered is the one as long as its launcher lives', () => {
  folderOf('now')
  const remembering = (state: 'up' | 'dead') => ({ podUid: () => 'earlier', state: () => state })

  expect(podUidOn('node-1', guest, remembering('up'), pods)).toBe('earlier')
  expect(podUidOn('node-1', guest, remembering('dead'), pods)).toBeUndefined()
})
