import { expect, test } from '@jest/globals'
import { type VirtualMachineInstance, virtualMachineInstances } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CriticalNetworkError } from '../src/host/network/phase1.ts'
import {
  current,
  domain,
  emptyDir,
  guest,
  inPhase,
  node,
  startHandler,
  startLauncher,
  told,
  until,
  vmi,
} from './node-agent.ts'

test('a VMI that is handed over gets its disks, its network and a running guest', async () => {
  node.client = fakeClient([vmi()])
  await startLauncher()
  const stop = await startHandler()

  await inPhase('Running')
  await stop()

  expect(node.mounts).toEqual([{ uid: 'uid-1', files: [{ socket: 'disk_0.sock', target: 'disk_0.img' }] }])
  expect(current()?.status).toMatchObject({
    machine: { type: 'pc-q35-10.0' },
    selinuxContext: 'none',
    migrationMethod: 'BlockMigration',
    volumeStatus: [{ name: 'root', target: 'vda' }],
    interfaces: [
      {
        name: 'default',
        podInterfaceName: 'eth0',
        mac: '02:00:00:00:00:01',
        ipAddress: '198.18.1.7',
        infoSource: 'domain',
        queueCount: 1,
      },
    ],
    conditions: [
      { type: 'LiveMigratable', status: 'True' },
      { type: 'StorageLiveMigratable', status: 'True' },
    ],
    phaseTransitionTimestamps: [{ phase: 'Running' }],
  })
  expect(told()).toEqual(['Created', 'Started'])
})

test('where the node has SELinux, the VMI tells the context of its launcher', async () => {
  node.client = fakeClient([vmi()])
  const context = 'system_u:system_r:container_t:s0:c104,c812'
  node.selinux = { contextOf: (pid) => (pid === process.pid ? context : undefined) }
  await startLauncher()
  await startHandler()

  await inPhase('Running')

  expect(current()?.status?.selinuxContext).toBe(context)
})

test('a guest starts as soon as its launcher is ready', async () => {
  node.client = fakeClient([vmi()])
  await startHandler()
  await startLauncher()

  await inPhase('Running')
})

test('a deleted VMI is shut down within its grace period and succeeds', async () => {
  node.client = fakeClient([vmi()])
  const { launcher } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await node.client.delete(virtualMachineInstances, guest)
  await inPhase('Succeeded')
  await stop()

  expect(launcher.calls).toContain('shutdownVirtualMachine')
  expect(launcher.calls).not.toContain('killVirtualMachine')
  expect(current()?.status?.interfaces).toEqual([expect.not.objectContaining({ ipAddress: expect.anything() })])
  expect(told()).toEqual(expect.arrayContaining(['ShuttingDown', 'Stopped']))
})

test('the verdict of a guest survives a write that came in between', async () => {
  node.client = fakeClient([vmi()])
  const { tell } = await startLauncher()
  await startHandler()
  await inPhase('Running')
  let raced = false
  node.client.intercept(async ({ verb, body }) => {
    if (verb !== 'update' || raced || (body as VirtualMachineInstance).status?.phase !== 'Succeeded') return
    raced = true
    await node.client.patch(
      virtualMachineInstances,
      guest,
      { metadata: { annotations: { by: 'the controller' } } },
      { type: 'merge' },
    )
  })

  await tell(domain('Shutoff', 'Shutdown'))
  await inPhase('Succeeded')

  expect(raced).toBe(true)
  expect(current()?.metadata.annotations).toEqual({ by: 'the controller' })
})

test('a guest whose QEMU was killed fails with a reason and is cleaned up', async () => {
  node.client = fakeClient([vmi()])
  const { tell } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await tell(domain('Shutoff', 'Crashed'))
  await inPhase('Failed')
  while (node.unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(current()?.status?.reason).toBe('Crashed')
  expect(node.unmounted).toEqual(['uid-1'])
  expect(told()).toContain('Stopped')
})

test('a restart of the agent does not touch a running guest and still hears how it ends', async () => {
  node.client = fakeClient([vmi()])
  const { launcher, tell } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')
  await stop()
  const before = launcher.calls.length

  await startHandler()
  await tell(domain('Shutoff', 'Shutdown'))
  await inPhase('Succeeded')

  const after = launcher.calls.slice(before)
  expect(after).not.toContain('shutdownVirtualMachine')
  expect(after).not.toContain('killVirtualMachine')
})

test('a VMI that vanished while the agent was away has its guest shut down', async () => {
  node.client = fakeClient([vmi()])
  const stopped = Promise.withResolvers<void>()
  await startLauncher({
    shutdownVirtualMachine: async () => {
      stopped.resolve()
      return { success: true, message: '' }
    },
  })
  const stop = await startHandler()
  await inPhase('Running')
  await stop()
  await node.client.patch(virtualMachineInstances, guest, { metadata: { finalizers: [] } }, { type: 'merge' })
  await node.client.delete(virtualMachineInstances, guest)
  expect(current()).toBeUndefined()

  await startHandler()

  await stopped.promise
})

test('a VMI that only lost its label keeps its guest', async () => {
  node.client = fakeClient([vmi()])
  const { launcher } = await startLauncher()
  const stop = await startHandler()
  await inPhase('Running')

  await node.client.patch(
    virtualMachineInstances,
    guest,
    { metadata: { labels: { 'kubevirt.io/nodeName': null } } },
    { type: 'merge' },
  )
  await stop()

  expect(launcher.calls).not.toContain('shutdownVirtualMachine')
})

test('a guest that cannot be started is told, tried again, and told no more once it runs', async () => {
  node.client = fakeClient([vmi()])
  let attempts = 0
  const { tell } = await startLauncher({
    async syncVirtualMachine() {
      attempts += 1
      if (attempts === 1) return { success: false, message: 'no room for the guest' }
      await tell(domain('Running'))
      return { success: true, message: '' }
    },
  })
  await startHandler()

  await until((each) => each?.status?.conditions?.some(({ type }) => type === 'Synchronized') ?? false)
  await inPhase('Running')
  await until((each) => !each?.status?.conditions?.some(({ type }) => type === 'Synchronized'))

  expect(told()).toContain('SyncFailed')
})

test('a network that was left half built fails the VMI', async () => {
  node.client = fakeClient([vmi()])
  node.network = { ...node.network, setUp: () => Promise.reject(new CriticalNetworkError('half built')) }
  const { launcher } = await startLauncher()
  await startHandler()

  await inPhase('Failed')

  expect(current()?.status).toMatchObject({ reason: 'NetworkSetupFailed' })
  expect(launcher.calls).not.toContain('syncVirtualMachine')
})

test('a launcher that dies with its guest fails the VMI, and nothing is left of it on the node', async () => {
  node.client = fakeClient([vmi()])
  const socket = join(emptyDir('sockets'), 'launcher-sock')
  const program = `
    import { startFakeLauncher } from '@kubevirt-ts/handler-launcher-com/testing'
    const domain = process.argv[2]
    await startFakeLauncher(process.argv[1], {
      getDomain: async () => ({ response: { success: true, message: '' }, domain }),
    })
    console.log('up')`
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, socket, JSON.stringify(domain('Running'))],
    {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const stop = await startHandler()
  await inPhase('Running')
  expect(await readdir(join(node.folder, 'ghost-records'))).toEqual(['uid-1.json'])

  child.kill('SIGKILL')
  await inPhase('Failed')
  // What is left on the node goes in the next pass, which the stop would not wait for.
  while (node.unmounted.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()

  expect(current()?.status?.reason).toBe('LauncherGone')
  expect(node.unmounted).toEqual(['uid-1'])
  expect(await readdir(join(node.folder, 'ghost-records'))).toEqual([])
})

test('a launcher that cannot say how its guest is does not make it fail', async () => {
  node.client = fakeClient([vmi({ phase: 'Running' })])
  const asked = Promise.withResolvers<void>()
  let questions = 0
  const { launcher } = await startLauncher({
    async getDomain() {
      questions += 1
      if (questions === 2) asked.resolve()
      return { response: { success: false, message: 'libvirt does not answer' }, domain: '' }
    },
    syncVirtualMachine: async () => ({ success: true, message: '' }),
  })
  const stop = await startHandler()
  await asked.promise
  await stop()

  expect(current()?.status?.phase).toBe('Running')
  expect(launcher.calls).not.toContain('deleteVirtualMachine')
})
