import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PodArrivals } from './pod-arrivals.ts'

let pods: string
let arrivals: PodArrivals
let seen: string[]
let next: PromiseWithResolvers<void>

beforeEach(async () => {
  pods = await mkdtemp(join(tmpdir(), 'pods-'))
  seen = []
  next = Promise.withResolvers()
  const onLauncher = (podUid: string): void => {
    seen.push(podUid)
    next.resolve()
    next = Promise.withResolvers()
  }
  arrivals = new PodArrivals({ podsFolder: pods, onLauncher, log: silentLog() })
})

afterEach(async () => {
  arrivals.close()
  await rm(pods, { recursive: true })
})

const sockets = (podUid: string): string => join(pods, podUid, 'volumes/kubernetes.io~empty-dir/sockets')

/** Under another name first, as launchers do it. */
async function listens(podUid: string): Promise<void> {
  await writeFile(join(sockets(podUid), 'launcher-init-sock'), '')
  await rename(join(sockets(podUid), 'launcher-init-sock'), join(sockets(podUid), 'launcher-sock'))
}

test('a launcher is noticed whose pod comes later, one folder after the other', async () => {
  arrivals.start()
  const noticed = next.promise
  for (const part of [
    'p1',
    'p1/volumes',
    'p1/volumes/kubernetes.io~empty-dir',
    'p1/volumes/kubernetes.io~empty-dir/sockets',
  ]) {
    await mkdir(join(pods, part))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await listens('p1')
  await noticed
  expect(seen).toEqual(['p1'])
})

test('a launcher is noticed whose pod came at once, and one that was there before', async () => {
  await mkdir(sockets('old'), { recursive: true })
  await listens('old')
  arrivals.start()
  expect(seen).toEqual(['old'])

  const noticed = next.promise
  await mkdir(sockets('p1'), { recursive: true })
  await listens('p1')
  await noticed
  expect(seen).toEqual(['old', 'p1'])
})

test('a pod without a launcher, or one that vanishes on the way, keeps nothing from being noticed', async () => {
  arrivals.start()
  await mkdir(join(pods, 'plain/volumes'), { recursive: true })
  await mkdir(sockets('gone'), { recursive: true })
  await rm(join(pods, 'gone'), { recursive: true })
  const noticed = next.promise
  await mkdir(sockets('p1'), { recursive: true })
  await listens('p1')
  await noticed
  expect(seen).toEqual(['p1'])
  expect(existsSync(join(pods, 'plain/volumes'))).toBe(true)
})

test('without a folder of pods there is nothing to notice, and nothing fails', () => {
  const nowhere = new PodArrivals({ podsFolder: join(pods, 'absent'), onLauncher: () => undefined, log: silentLog() })
  expect(() => nowhere.start()).not.toThrow()
  nowhere.close()
})
