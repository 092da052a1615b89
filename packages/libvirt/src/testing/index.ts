import { LibvirtError } from '../error.ts'
import type { DomainEvent, Lifecycle } from '../events.ts'
import type { DomainState, StateReason } from '../state.ts'
import type { Connection, Domain } from '../types.ts'

export type FakeLibvirt = Connection & {
  /** The calls that change something, in order: `define default_vm`, `create default_vm`, ... */
  readonly calls: string[]
  /** Sends an event to the listeners as the daemon would. */
  emit(event: DomainEvent): void
  /** Ends the connection as a daemon that dies would. */
  lose(): void
  /** Puts a domain into a state without any call, for example a guest that powered off. */
  setState(name: string, state: DomainState, reason: StateReason): void
  /** Lets the next call of this name fail. */
  failNext(call: string, error: LibvirtError): void
}

type Known = { xml: string; state: DomainState; reason: StateReason; metadata: Map<string, string> }

/** A libvirt in memory: domains change state at once and events follow each change. */
export function fakeLibvirt(): FakeLibvirt {
  const domains = new Map<string, Known>()
  const listeners: ((event: DomainEvent) => void)[] = []
  const calls: string[] = []
  const failures = new Map<string, LibvirtError>()
  let lost: () => void = () => {}

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
      become(name, paused ? 'paused' : 'running', paused ? 'starting up' : 'booted')
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
      return (domains.get(name) ?? noDomain(name)).xml
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
    async setTime() {
      note('setTime', name)
    },
    async agentCommand(command) {
      note('agentCommand', name)
      return JSON.stringify({ return: {}, command })
    },
    [Symbol.dispose]() {},
  })

  return {
    calls,
    emit,
    lose: () => lost(),
    setState: become,
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
    async onEvent(listener) {
      listeners.push(listener)
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
