import { fileLabel, O_PATH, openBeneath, setFileLabel } from '@kubevirt-ts/linux'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { giveTo, holdFolder } from '../isolation/pod-folder.ts'
import { sharedFileLabel } from './contexts.ts'
import { shareWithContainers } from './labels.ts'
import { hostSelinux, type SelinuxMode } from './selinux.ts'

// This kernel may well have no SELinux: its labels can be written and read all the same, nobody acts on them.
const launcher = 'system_u:system_r:container_t:s0:c104,c812'
const launcherFiles = 'system_u:object_r:container_file_t:s0:c104,c812'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'selinux-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), content)
}

function labelOf(path: string): string | undefined {
  const fd = openBeneath(root, path, O_PATH)
  try {
    return fileLabel(fd)
  } finally {
    closeSync(fd)
  }
}

test.each<[string, string | undefined, SelinuxMode]>([
  ['no selinuxfs', undefined, 'absent'],
  ['a host that refuses', '1', 'enforcing'],
  ['a host that only tells', '0', 'permissive'],
])('%s', (_, enforce, mode) => {
  if (enforce !== undefined) write('sys/fs/selinux/enforce', enforce)

  expect(hostSelinux(join(root, 'sys')).mode).toBe(mode)
})

test.each([
  [`${launcher}\0`, launcher],
  [`${launcher}\n`, launcher],
  ['docker-default (enforce)\n', undefined],
  ['', undefined],
])('a process with %j in attr/current runs in %s', (current, context) => {
  write('sys/fs/selinux/enforce', '1')
  write('proc/42/attr/current', current)

  expect(hostSelinux(join(root, 'sys'), join(root, 'proc')).contextOf(42)).toBe(context)
})

test('without SELinux, and after its end, a process runs in no context', () => {
  write('proc/42/attr/current', `${launcher}\0`)
  expect(hostSelinux(join(root, 'sys'), join(root, 'proc')).contextOf(42)).toBeUndefined()

  write('sys/fs/selinux/enforce', '1')

  expect(hostSelinux(join(root, 'sys'), join(root, 'proc')).contextOf(43)).toBeUndefined()
})

const warnings: string[] = []
const log = { warn: (_: unknown, text: string) => void warnings.push(text) } as never
const share = (mode: SelinuxMode, ...paths: string[]): void =>
  shareWithContainers({ mode, contextOf: () => undefined }, { root, paths }, log)

test('devices and programs of the host are labelled for every container, and what is not there is left out', () => {
  mkdirSync(join(root, 'dev/net'), { recursive: true })
  execFileSync('mknod', [join(root, 'dev/net/tun'), 'c', '10', '200'])
  write('bin/container-disk', 'program')

  share('enforcing', 'dev/net/tun', 'dev/null', 'bin/container-disk')

  expect(['dev/net/tun', 'bin/container-disk'].map(labelOf)).toEqual([sharedFileLabel, sharedFileLabel])
})

test('a host without SELinux keeps its files as they are', () => {
  write('dev/null', '')

  share('absent', 'dev/null')

  expect(labelOf('dev/null')).toBeUndefined()
})

test('no link is followed: a host that refuses is told, one that only tells goes on with the next file', () => {
  write('shadow', '')
  write('dev/null', '')
  symlinkSync('../shadow', join(root, 'dev/tun'))

  expect(() => share('enforcing', 'dev/tun')).toThrow(expect.objectContaining({ reason: 'LabelRefused' }))
  share('permissive', 'dev/tun', 'dev/null')

  expect(warnings).toEqual([expect.stringContaining('dev/tun cannot be labelled')])
  expect(['shadow', 'dev/null'].map(labelOf)).toEqual([undefined, sharedFileLabel])
})

test("what is put into a pod's folder for its launcher gets the label of that folder", () => {
  write('public/pipe.sock', '')
  using folder = held('public')
  setFileLabel(folder.fd, launcherFiles)

  giveTo(folder, 'pipe.sock', process.getuid?.() ?? 0)

  expect(labelOf('public/pipe.sock')).toBe(launcherFiles)
})

function held(path: string) {
  const named = holdFolder(join(root, path))
  if (named === undefined) throw new Error(`${path} is not there`)
  return { ...named, [Symbol.dispose]: () => named.close() }
}
