import { Lane } from '@kubevirt-ts/service/lane'
import koffi from 'koffi'
import { LibvirtDomain } from './domain.ts'
import { callError, collectErrors, errorCode, openError } from './error.ts'
import { releaseEventLoop, startEventLoop } from './event-loop.ts'
import type { DomainEvent } from './events.ts'
import { library, type Pointer } from './library.ts'
import type { Side } from './move-steps.ts'
import { offThread } from './off-thread.ts'
import { subscriptions, type Subscription } from './subscriptions.ts'
import type { Connection, Domain } from './types.ts'

// Errors of opening have no connection to belong to, so one is opened at a time.
const opening = new Lane()

const keepAliveSeconds = 5

/**
 * Opens a connection, for example to `qemu:///session` or `test:///default`. Rejects with `LibvirtError`.
 * @param patienceSeconds after so long a daemon that hangs counts as lost
 */
export async function connect(uri: string, { patienceSeconds = 15 } = {}): Promise<Connection> {
  startEventLoop()
  try {
    collectErrors()
    return await opening.run(async () => {
      const pointer = await offThread<Pointer>(library().open, uri)
      if (!pointer) throw openError(uri)
      const connection = new LibvirtConnection(pointer)
      await connection.watchDaemon(Math.ceil(patienceSeconds / keepAliveSeconds))
      return connection
    })
  } catch (error) {
    await releaseEventLoop()
    throw error
  }
}

class LibvirtConnection implements Connection {
  readonly #pointer: Pointer
  readonly #lane = new Lane()
  readonly #callbacks: bigint[] = []
  readonly #eventCallbacks: number[] = []
  #onLost: () => void = () => {}
  #closeCallback: bigint | undefined
  #closing: Promise<void> | undefined

  constructor(pointer: Pointer) {
    this.#pointer = pointer
  }

  /** Notices a daemon that dies or hangs. The test driver has none, so such a connection is never lost. */
  async watchDaemon(keepAliveCount: number): Promise<void> {
    const { setKeepAlive, registerCloseCallback, prototypes } = library()
    const watched = await offThread<number>(setKeepAlive, this.#pointer, keepAliveSeconds, keepAliveCount)
    if (watched !== 0) return
    this.#closeCallback = koffi.register(() => this.#lost(), prototypes.close)
    await offThread(registerCloseCallback, this.#pointer, this.#closeCallback, null, null)
  }

  defineXml(xml: string): Promise<Domain> {
    return this.#lane.run(async () => {
      const pointer = await offThread<Pointer>(library().defineXml, this.#live(), xml)
      if (!pointer) throw this.#error('define')
      return new LibvirtDomain(pointer, this.#pointer, this.#lane)
    })
  }

  lookupByName(name: string): Promise<Domain | undefined> {
    return this.#lane.run(async () => {
      const pointer = await offThread<Pointer>(library().lookupByName, this.#live(), name)
      if (pointer) return new LibvirtDomain(pointer, this.#pointer, this.#lane)
      const error = this.#error(`lookup of ${name}`)
      if (error.code === errorCode.noDomain) return undefined
      throw error
    })
  }

  capabilities(): Promise<string> {
    return this.#lane.run(async () => {
      const xml = await offThread<string | null>(library().capabilities, this.#live())
      if (xml === null) throw this.#error('capabilities')
      return xml
    })
  }

  domainCapabilities(wanted: { arch?: string; machine?: string; virtType?: string }): Promise<string> {
    const { arch = null, machine = null, virtType = null } = wanted
    return this.#lane.run(async () => {
      const call = library().domainCapabilities
      const xml = await offThread<string | null>(call, this.#live(), null, arch, machine, virtType, 0)
      if (xml === null) throw this.#error('domain capabilities')
      return xml
    })
  }

  version(): Promise<string> {
    return this.#version(library().version)
  }

  libvirtVersion(): Promise<string> {
    return this.#version(library().libvirtVersion)
  }

  async onEvent(listener: (event: DomainEvent) => void): Promise<void> {
    for (const subscription of subscriptions()) await this.#subscribe(subscription, listener)
  }

  side(): Side {
    return {
      pointer: this.#live(),
      run: (task) => this.#lane.run(task),
      error: (call) => this.#error(call),
    }
  }

  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end())
  }

  async #end(): Promise<void> {
    await this.#lane.run(async () => {
      const lib = library()
      for (const id of this.#eventCallbacks) await offThread(lib.deregisterEvent, this.#pointer, id)
      if (this.#closeCallback) await offThread(lib.unregisterCloseCallback, this.#pointer, this.#closeCallback)
      await offThread(lib.close, this.#pointer)
    })
    await releaseEventLoop()
    // Only now can no turn of the loop still be inside one of them.
    for (const callback of this.#callbacks) koffi.unregister(callback)
    if (this.#closeCallback) koffi.unregister(this.#closeCallback)
  }

  #version(call: Parameters<typeof offThread>[0]): Promise<string> {
    return this.#lane.run(async () => {
      const version = [0]
      const result = await offThread<number>(call, this.#live(), version)
      if (result < 0) throw this.#error('version')
      const number = Number(version[0])
      return `${Math.floor(number / 1_000_000)}.${Math.floor(number / 1_000) % 1_000}.${number % 1_000}`
    })
  }

  #subscribe({ id, prototype, toEvent }: Subscription, listener: (event: DomainEvent) => void): Promise<void> {
    return this.#lane.run(async () => {
      const callback = koffi.register((...args: unknown[]) => {
        const event = toEvent(args)
        if (event) listener(event)
        return 0
      }, prototype)
      this.#callbacks.push(callback)
      const call = library().registerEvent
      const result = await offThread<number>(call, this.#live(), null, id, callback, null, null)
      if (result < 0) throw this.#error(`registering for event ${id}`)
      this.#eventCallbacks.push(result)
    })
  }

  #lost(): void {
    if (!this.#closing) this.#onLost()
  }

  #live(): Pointer {
    if (this.#closing) throw new Error('the libvirt connection was used after it was closed')
    return this.#pointer
  }

  #error(call: string) {
    return callError(call, this.#pointer)
  }
}
