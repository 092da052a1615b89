import { expect, test } from '@jest/globals'
import { cmdRpcs, encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { LibvirtError } from '@kubevirt-ts/libvirt'
import { vmi, withEmptyDisk } from '@kubevirt-ts/libvmi'
import { cmdHandlers } from '../src/cmd-server/handlers.ts'
import { markGracefulShutdown } from '../src/virtwrap/operations/shutdown.ts'
import { client, guest, launcher, libvirt, ok, reported, request } from './launcher-under-test.ts'

test('a first sync defines the guest and starts it, a second one changes nothing', async () => {
  expect(await client.syncVirtualMachine(request)).toEqual(ok)
  expect(await client.syncVirtualMachine(request)).toEqual(ok)

  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm'])
  expect(await reported()).toMatchObject({
    metadata: { name: 'vm', namespace: 'ns', uid: 'u' },
    status: { status: 'Running', reason: 'Booted' },
  })
})

test('a guest is made before its VMI is handed over, and runs from then on', async () => {
  const inPhase = (phase: string) => ({ vmi: encodeVmi({ ...guest, status: { phase } }) })
  expect(await client.syncVirtualMachine(inPhase('Scheduling'))).toEqual(ok)
  expect(await client.syncVirtualMachine(inPhase('Scheduling'))).toEqual(ok)
  expect(await reported()).toMatchObject({ status: { status: 'Paused' } })

  expect(await client.syncVirtualMachine(inPhase('Scheduled'))).toEqual(ok)

  expect(await reported()).toMatchObject({ status: { status: 'Running' } })
  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm', 'resume ns_vm'])
})

test('a guest that is to start paused stays so when its VMI is handed over', async () => {
  const paused = { ...guest, spec: { ...guest.spec, startStrategy: 'Paused' as const } }
  await client.syncVirtualMachine({ vmi: encodeVmi({ ...paused, status: { phase: 'Scheduling' } }) })
  await client.syncVirtualMachine({ vmi: encodeVmi({ ...paused, status: { phase: 'Scheduled' } }) })

  expect(await reported()).toMatchObject({ status: { status: 'Paused' } })
})

test('a guest that ended is not started again once its VMI was running', async () => {
  await client.syncVirtualMachine(request)
  libvirt.setState('ns_vm', 'shutoff', 'shutdown')

  await client.syncVirtualMachine({ vmi: encodeVmi({ ...guest, status: { phase: 'Running' } }) })

  expect(await reported()).toMatchObject({ status: { status: 'Shutoff', reason: 'Shutdown' } })
})

test.each(['shutdownVirtualMachine', 'killVirtualMachine', 'deleteVirtualMachine'] as const)(
  '%s without a domain has nothing left to do',
  async (rpc) => {
    expect(await client[rpc](request)).toEqual(ok)
  },
)

test('the life of a guest ends by shutdown, kill and delete', async () => {
  await client.syncVirtualMachine(request)
  libvirt.calls.length = 0

  await client.shutdownVirtualMachine(request)
  await client.killVirtualMachine(request)
  await client.killVirtualMachine(request)
  await client.deleteVirtualMachine(request)

  expect(libvirt.calls).toEqual(['shutdown ns_vm', 'setMetadata ns_vm', 'destroy ns_vm', 'undefine ns_vm'])
  expect(await reported()).toBeUndefined()
})

test('a pod that is being stopped marks its guest', async () => {
  await client.syncVirtualMachine(request)

  await markGracefulShutdown(launcher)

  using domain = (await libvirt.lookupByName('ns_vm'))!
  expect(await domain.metadata('http://kubevirt.io')).toContain('<markedForGracefulShutdown>true<')
})

test("libvirt's words reach virt-handler, and the next try works", async () => {
  const refused = new LibvirtError('create of ns_vm', { code: 38, domain: 10, message: 'no tap' })
  libvirt.failNext('create', refused)

  expect(await client.syncVirtualMachine(request)).toEqual({
    success: false,
    message: 'GuestNotStarted: create of ns_vm: no tap',
  })
  expect(await client.syncVirtualMachine(request)).toEqual(ok)
})

test('two changes at once keep each other out', async () => {
  await Promise.all([
    client.syncVirtualMachine(request),
    client.syncVirtualMachine(request),
    client.killVirtualMachine(request),
  ])

  expect(libvirt.calls).toEqual(['define ns_vm', 'create ns_vm', 'destroy ns_vm'])
})

test('a disk that cannot be made is an answer that names it', async () => {
  const broken = vmi(withEmptyDisk('scratch', '1Ki'))
  broken.metadata = { ...guest.metadata }
  broken.spec.architecture = 'amd64'

  const answer = await client.syncVirtualMachine({ vmi: encodeVmi(broken) })

  expect(answer).toEqual({
    success: false,
    message: 'EmptyDiskTooSmall: emptyDisk scratch needs at least 1Mi, not 1Ki',
  })
})

test('a request without a VMI is refused', async () => {
  expect(await client.syncVirtualMachine({})).toEqual({
    success: false,
    message: 'Internal: the request names no VirtualMachineInstance',
  })
})

test('what is not built refuses by its name, and nothing is left unanswered', async () => {
  expect(await client.signalTargetPodCleanup(request)).toEqual({
    success: false,
    message: 'NotAvailable: signalTargetPodCleanup is not available in this version of virt-launcher',
  })
  expect(Object.keys(cmdHandlers(launcher)).toSorted()).toEqual([...cmdRpcs].toSorted())
})
