import { LibvirtError } from '../error.ts'
export { domainReferences } from '../domain.ts'
export { domainSchema, type Schema } from './schema.ts'
import type { DomainEvent, Lifecycle } from '../events.ts'
import type { DomainState, StateReason } from '../state.ts'
import type { Connection, Domain, DomainStatistics } from '../types.ts'

export type FakeLibvirt = Connection & {
  /** The calls that change something, in order: `define default_vm`, `create default_vm`, ... */
  readonly calls: string[]
  /** Sends an event to the listeners as the daemon would. */
  emit(event: DomainEvent): void
  /** Ends the connection as a daemon that dies would. */
  lose(): void
  /** Puts a domain into a state without any call, for example a guest that powered off. */
  setState(name: string, state: DomainState, reason: StateReason): void
  /** What the guest's agent answers from now on; without it everything is answered with nothing. */
  setAgent(answer: (command: string, request: object) => unknown): void
  setStatistics(values: DomainStatistics): void
  /** Lets the next call of this name fail. */
  failNext(call: string, error: LibvirtError): void
}

type Known = {
  xml: string
  state: DomainState
  reason: StateReason
  metadata: Map<string, string>
  /** The XML of each device, from the first change of one on. */
  devices?: string[]
}

const deviceXml = /<(disk|interface|memory|controller)[\s>][\s\S]*?<\/\1>/g
const aliasIn = (xml: string): string => /<alias name="([^"]*)"/.exec(xml)?.[1] ?? ''
const withDevices = (xml: string, devices: readonly string[]): string => {
  const [, before = '', inside = '', after = ''] = /^([\s\S]*<devices>)([\s\S]*)(<\/devices>[\s\S]*)$/.exec(xml) ?? []
  return before + inside.replaceAll(deviceXml, '') + devices.join('') + after
}

/** A libvirt in memory: domains change state at once and events follow each change. */
export function fakeLibvirt(): FakeLibvirt {
  const domains = new Map<string, Known>()
  const listeners: ((event: DomainEvent) => void)[] = []
  const calls: string[] = []
  const failures = new Map<string, LibvirtError>()
  let lost: () => void = () => {}
  let agent: (command: string, request: object) => unknown = () => ({})
  let statistics: DomainStatistics = {}
  const devices = (name: string): string[] => {
    const known = domains.get(name) ?? noDomain(name)
    const inside = /<devices>([\s\S]*)<\/devices>/.exec(known.xml)?.[1] ?? ''
    return (known.devices ??= inside.match(deviceXml) ?? [])
  }

  const emit = (event: DomainEvent) => {
    for (const listener of listeners) listener(event)
  }
  const moved = (name: string, event: Lifecycle) => emit({ kind: 'lifecycle', domain: name, event, detail: 0 })
  const note = (call: string, name: string) => {
    calls.push(`${call} ${name}`)
    const failure = failures.get(call)
    failures.delete(call)
    if (failure) throw failure
  }
  const become = (name: string, state: DomainState, reason: StateReason) =>
    Object.assign(domains.get(name)!, { state, reason })

  const reference = (name: string): Domain => ({
    name,
    async create({ paused = false } = {}) {
      note('create', name)
      become(name, paused ? 'paused' : 'running', paused ? 'user' : 'booted')
      moved(name, 'started')
    },
    async shutdown() {
      note('shutdown', name)
    },
    async destroy() {
      note('destroy', name)
      become(name, 'shutoff', 'destroyed')
      moved(name, 'stopped')
    },
    async undefine() {
      note('undefine', name)
      domains.delete(name)
      moved(name, 'undefined')
    },
    async suspend() {
      note('suspend', name)
      become(name, 'paused', 'user')
      moved(name, 'suspended')
    },
    async resume() {
      note('resume', name)
      become(name, 'running', 'unpaused')
      moved(name, 'resumed')
    },
    async reset() {
      note('reset', name)
    },
    async reboot(by) {
      note(`reboot(${by})`, name)
    },
    async state() {
      const { state, reason } = domains.get(name) ?? noDomain(name)
      return { state, reason }
    },
    async xml() {
      const { xml, devices } = domains.get(name) ?? noDomain(name)
      return devices === undefined ? xml : withDevices(xml, devices)
    },
    async setMetadata(element, { uri }) {
      note('setMetadata', name)
      if (element === undefined) domains.get(name)?.metadata.delete(uri)
      else domains.get(name)?.metadata.set(uri, element)
    },
    async metadata(uri) {
      return domains.get(name)?.metadata.get(uri)
    },
    async info() {
      return { maxMemory: 0, memory: 0, vcpus: 1, cpuTimeNs: 0n }
    },
    async migrate() {
      note('migrate', name)
      become(name, 'shutoff', 'migrated')
      moved(name, 'stopped')
    },
    async job() {
      return undefined
    },
    async completedJob() {
      return undefined
    },
    async abortJob() {
      note('abortJob', name)
    },
    async startPostCopy() {
      note('startPostCopy', name)
    },
    async setMaxDowntime() {
      note('setMaxDowntime', name)
    },
    async setTime() {
      note('setTime', name)
    },
    async attachDevice(xml) {
      note(`attachDevice(${aliasIn(xml)})`, name)
      devices(name).push(xml)
      emit({ kind: 'deviceAdded', domain: name, alias: aliasIn(xml) })
    },
    async detachDevice(xml) {
      note(`detachDevice(${aliasIn(xml)})`, name)
      const kept = devices(name).filter((each) => aliasIn(each) !== aliasIn(xml))
      domains.get(name)!.devices = kept
      emit({ kind: 'deviceRemoved', domain: name, alias: aliasIn(xml) })
    },
    async updateDevice(xml) {
      note(`updateDevice(${aliasIn(xml)})`, name)
      domains.get(name)!.devices = devices(name).map((each) => (aliasIn(each) === aliasIn(xml) ? xml : each))
    },
    async blockResize(target, bytes) {
      note(`blockResize(${target}, ${bytes})`, name)
    },
    async setVcpus(count) {
      note(`setVcpus(${count})`, name)
    },
    async coreDump(path) {
      note(`coreDump(${path})`, name)
    },
    async setUserPassword(user) {
      note(`setUserPassword(${user})`, name)
    },
    async startDirtyRate(seconds) {
      note(`startDirtyRate(${seconds})`, name)
    },
    async stats() {
      return statistics
    },
    async screenshot() {
      note('screenshot', name)
      return { mime: 'image/png', data: Buffer.from('picture') }
    },
    async agentCommand(command) {
      note('agentCommand', name)
      const { execute } = JSON.parse(command) as { execute: string }
      return JSON.stringify({ return: agent(execute, JSON.parse(command) as object) })
    },
    [Symbol.dispose]() {},
  })

  return {
    calls,
    emit,
    lose: () => lost(),
    setState: become,
    setAgent: (answer) => void (agent = answer),
    setStatistics: (values) => void (statistics = values),
    failNext: (call, error) => void failures.set(call, error),
    async defineXml(xml) {
      const name = /<name>([^<]*)<\/name>/.exec(xml)?.[1] ?? ''
      note('define', name)
      const before = domains.get(name)
      domains.set(name, { state: 'shutoff', reason: 'unknown', metadata: new Map(), ...before, xml })
      moved(name, 'defined')
      return reference(name)
    },
    async lookupByName(name) {
      return domains.has(name) ? reference(name) : undefined
    },
    async capabilities() {
      return '<capabilities/>'
    },
    async domainCapabilities() {
      return '<domainCapabilities/>'
    },
    async version() {
      return '10.0.0'
    },
    async libvirtVersion() {
      return '11.0.0'
    },
    async onEvent(listener) {
      listeners.push(listener)
    },
    side() {
      throw new Error('nobody moves to a libvirt in memory')
    },
    onLost(listener) {
      lost = listener
    },
    async close() {},
  }
}

function noDomain(name: string): never {
  throw new LibvirtError(`lookup of ${name}`, { code: 42, domain: 10, message: 'Domain not found' })
}
