import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildProgram } from './build-program.ts'

const unified = existsSync('/sys/fs/cgroup/cgroup.controllers') ? '/sys/fs/cgroup' : '/sys/fs/cgroup/unified'
const versions = [
  { version: 1, groups: '/sys/fs/cgroup/devices', flags: [] },
  // A machine may have both; a controller that no kernel has is looked for in vain.
  { version: 2, groups: unified, flags: ['-DFIRST_VERSION="none"'] },
].filter(({ groups }) => existsSync(join(groups, 'cgroup.procs')))

const folder = mkdtempSync(join(tmpdir(), 'virt-devices-'))
const stick = '/dev/bus/usb/001/006'
const [first, second, foreign] = [`${folder}/volumes/first`, `${folder}/volumes/second`, `${folder}/foreign`]
// Devices that no machine has: opening them fails in any case, but as forbidden only where they are.
const nodes = `mount -t tmpfs -o mode=755 none /dev
mount -t tmpfs none ${folder}
mkdir -p /dev/bus/usb/001 ${folder}/volumes
mknod /dev/null c 1 3
mknod ${stick} c 189 1005
mknod ${first} b 259 1000
mknod ${second} b 259 1001
mknod ${foreign} b 259 1002
echo made
exec sleep infinity`

afterAll(() => rmdirSync(folder))

describe.each(versions)('control groups of version $version', ({ version, groups, flags }) => {
  const helper = buildProgram('virt-devices', ...flags)
  const group = join(groups, `virt-devices-${process.pid}`)
  let container: ChildProcess

  afterAll(() => helper[Symbol.dispose]())

  beforeEach(async () => {
    mkdirSync(group)
    container = spawn('unshare', ['--mount', '--propagation=private', 'sh', '-euc', nodes], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(container.stdout!, 'data')
    writeFileSync(join(group, 'cgroup.procs'), String(container.pid))
    // As a runtime leaves them: the nodes that the container was made with.
    if (version === 1) {
      writeFileSync(join(group, 'devices.deny'), 'a')
      for (const rule of ['c 1:3 rwm', 'c 189:1005 rwm']) writeFileSync(join(group, 'devices.allow'), rule)
    }
  })

  afterEach(async () => {
    const ended = once(container, 'exit')
    container.kill('SIGKILL')
    await ended
    rmdirSync(group)
  })

  const change = (verb: 'allow' | 'deny', device: string): void => {
    const args = [verb, `--pid=${container.pid}`, `--device=${device}`, `--folder=${folder}/volumes`]
    execFileSync(helper.program, [...args, `--node-mount-namespace=/proc/${process.pid}/ns/mnt`])
  }
  const mayOpen = (path: string): boolean => {
    const script = `echo $$ >${group}/cgroup.procs; exec dd count=0 if=${path}`
    const { stderr } = spawnSync('nsenter', [`--mount=/proc/${container.pid}/ns/mnt`, 'sh', '-c', script], {
      encoding: 'utf8',
    })
    return !stderr.includes('Operation not permitted')
  }

  test('a device that is plugged in can be used beside those that the container has, deep below /dev too', () => {
    change('allow', '259:1000')
    expect([first, stick, '/dev/null'].map(mayOpen)).toEqual([true, true, true])
    expect(mayOpen(foreign)).toBe(false)
  })

  test('a second device takes nothing from the first, and only the one that is plugged out is forbidden', () => {
    change('allow', '259:1000')
    change('allow', '259:1001')
    expect([first, second].map(mayOpen)).toEqual([true, true])
    change('deny', '259:1000')
    expect([first, second, stick, foreign].map(mayOpen)).toEqual([false, true, true, false])
  })

  test('a process that is not there, a device that is none and no verb are refused', () => {
    const codeOf = (...args: string[]) => spawnSync(helper.program, args).status
    expect(codeOf('allow', '--pid=0', '--device=259:1000')).toBe(1)
    expect(codeOf('allow', `--pid=${process.pid}`, '--device=sda')).toBe(2)
    expect(codeOf(`--pid=${process.pid}`, '--device=259:1000')).toBe(2)
  })
})
