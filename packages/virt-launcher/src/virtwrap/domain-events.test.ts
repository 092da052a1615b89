import { expect, test } from '@jest/globals'
import { toXml } from '@kubevirt-ts/domain'
import { fakeLibvirt } from '@kubevirt-ts/libvirt/testing'
import { createLogger } from '@kubevirt-ts/service'
import type { DomainNotifier } from '../notify-client/domain-notifier.ts'
import { reportDomainEvents } from './domain-events.ts'
import type { Launcher } from './launcher.ts'

const xml = toXml({ $type: 'kvm', name: 'ns_vm', memory: { _: '1' }, os: { type: { _: 'hvm' } }, devices: {} })

function setUp() {
  const libvirt = fakeLibvirt()
  const reports: string[] = []
  const log = createLogger({ component: 'test', destination: { write() {} } })
  const ask: Launcher['libvirt']['ask'] = async (use) => use(await libvirt.lookupByName('ns_vm'), libvirt)
  const places = { qemuPidFile: '/nowhere/vm.pid' } as Launcher['places']
  const launcher = {
    libvirt: { ask },
    places,
    state: { pausedByUser: false, facts: {} },
  } as Partial<Launcher> as Launcher
  const notifier: DomainNotifier = {
    notify: (type, { status }) => void reports.push(`${type} ${status.status}${status.agentConnected ? ' agent' : ''}`),
    delivered: async () => true,
    close() {},
  }
  const events = reportDomainEvents(launcher, notifier, log)
  void libvirt.onEvent((event) => events.wake(event))
  return { libvirt, events, reports, launcher }
}

test('the life of a domain is reported from its definition to its deletion', async () => {
  const { libvirt, events, reports } = setUp()

  using domain = await libvirt.defineXml(xml)
  await events.next(({ type }) => type === 'Added')
  await domain.create()
  await events.next((report) => report.domain.status.status === 'Running')
  await domain.destroy()
  await events.next((report) => report.domain.status.status === 'Shutoff')
  await domain.undefine()
  await events.next(({ type }) => type === 'Deleted')

  expect(reports).toEqual(['Added Shutoff', 'Modified Running', 'Modified Shutoff', 'Deleted Shutoff'])
})

test('an event after which all is as before is no report', async () => {
  const { libvirt, events, reports } = setUp()
  await libvirt.defineXml(xml)
  await events.next(({ type }) => type === 'Added')

  events.wake()
  await events.end()

  expect(reports).toEqual(['Added Shutoff'])
})

test('an agent that connects is part of the report, and is gone with the guest', async () => {
  const { libvirt, events, reports } = setUp()
  using domain = await libvirt.defineXml(xml)
  await domain.create()

  libvirt.emit({ kind: 'agent', domain: 'ns_vm', connected: true })
  await events.next((report) => report.domain.status.agentConnected === true)
  await domain.destroy()
  await events.next((report) => report.domain.status.status === 'Shutoff')

  expect(reports.slice(-2)).toEqual(['Modified Running agent', 'Modified Shutoff'])
})

test('of a guest that arrives nothing is told in its first moments, and all of it after them', async () => {
  const { libvirt, events, reports, launcher } = setUp()
  launcher.state.arrival = 'coming'
  using domain = await libvirt.defineXml(xml)
  await events.next(({ type }) => type === 'Added')

  libvirt.emit({ kind: 'lifecycle', domain: 'ns_vm', event: 'resumed', detail: 1 })
  await domain.create()
  const early = [...reports]
  libvirt.emit({ kind: 'agent', domain: 'ns_vm', connected: true })
  await events.next((report) => report.domain.status.agentConnected === true)

  expect(early).toEqual(['Added Shutoff'])
  expect(reports.slice(1)).toEqual(['Modified Running agent'])
})
