import type { Domain } from '@kubevirt-ts/domain'
import { type CmdClient, createCmdClient } from '@kubevirt-ts/handler-launcher-com'
import { Lanes, type Logger, VirtError } from '@kubevirt-ts/service'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { emptyDirPath, type HeldPath, hold, listenerOf } from '../host/isolation/pod-folder.ts'
import { identify, isAlive, type ProcessIdentity } from '../host/isolation/process.ts'
import type { StateFolder } from '../host/state-folder.ts'
import { type NotifyPipe, type NotifyPipeOptions, openNotifyPipe } from '../notify-server/notify-pipe.ts'
import { succeeded } from './answer.ts'
import type { DomainCache } from './domain-cache.ts'
import type { GhostRecord } from './ghost-record.ts'
import type { Guest } from './guest.ts'
import { SocketWatch } from './socket-watch.ts'

/** A launcher that this process can call. */
export interface Launcher {
  readonly guest: Guest
  readonly podUid: string
  readonly process: ProcessIdentity
  readonly cmd: CmdClient
}

/** `absent`: nothing is known yet. `dead`: its process has ended, so the guest has too. */
export type LauncherState = 'absent' | 'up' | 'dead'

export interface LauncherClientsOptions {
  readonly records: StateFolder<GhostRecord>
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  readonly domains: DomainCache
  /** Something about the guest's launcher has changed. */
  readonly onChange: (guest: Guest) => void
  readonly onEvent: (guest: Guest, event: unknown) => void
  /** The launcher's process lives but has not answered for the whole watchdog time. Its guest may well be fine. */
  readonly onSilent: (guest: Guest) => void
  readonly log: Logger
}

export const launcherSocket = 'launcher-sock'
const livenessMs = 1_000

/** Where the launcher in one pod tells of its guest. */
interface PodPipe {
  readonly podUid: string
  readonly opening: Promise<NotifyPipe | undefined>
}

interface Connection extends Launcher {
  readonly socket: HeldPath
  lastAnswerMs: number
  reportedSilent: boolean
}

export interface LauncherTimes {
  /** How often each launcher is asked for its domain, should an event have been lost. */
  readonly resyncMs: number
  /** How long a launcher may be silent. */
  readonly watchdogMs: number
}

/** Finds the launchers of this node's guests and keeps one client for each, also across restarts of this process. */
export class LauncherClients {
  readonly #options: LauncherClientsOptions
  readonly #records = new Map<string, GhostRecord>()
  readonly #connections = new Map<string, Connection>()
  readonly #pipes = new Map<string, PodPipe>()
  readonly #sockets: SocketWatch
  readonly #reportedDead = new Set<string>()
  /** A guest that comes back is connected while what its first stay left is forgotten: one after the other. */
  readonly #stays = new Lanes()
  readonly #watchdogMs: number
  readonly #timers: readonly NodeJS.Timeout[]

  constructor(options: LauncherClientsOptions, { resyncMs, watchdogMs }: LauncherTimes) {
    this.#options = options
    this.#watchdogMs = watchdogMs
    this.#sockets = new SocketWatch(launcherSocket, options.onChange)
    this.#timers = [
      setInterval(() => this.#reportDead(), livenessMs),
      setInterval(() => void this.resync(), resyncMs),
      setInterval(() => void this.#pingAll(), watchdogMs / 3 + 1_000),
    ]
  }

  /** Takes up the guests that an earlier run of this process has known. */
  async restore(): Promise<Guest[]> {
    const records = await this.#options.records.all()
    for (const record of records) this.#records.set(record.uid, record)
    await Promise.all(
      records.map((record) => this.connect(record, record.podUid).catch((error) => this.#warn(record, error))),
    )
    return records
  }

  get(uid: string): Launcher | undefined {
    return this.#connections.get(uid)
  }

  /** Every launcher that can be called now. */
  all(): Launcher[] {
    return [...this.#connections.values()]
  }

  /** Whether anything of the guest is held here. */
  knows(uid: string): boolean {
    return this.#records.has(uid) || this.#pipes.has(uid)
  }

  podUid(uid: string): string | undefined {
    return this.#records.get(uid)?.podUid
  }

  state(uid: string): LauncherState {
    const record = this.#records.get(uid)
    if (record === undefined) return 'absent'
    return isAlive(record.launcher) ? 'up' : 'dead'
  }

  /**
   * The client of the guest's launcher in this pod. Undefined while the launcher is not ready; `onChange` follows when
   * it is. Throws when what listens is not the launcher.
   */
  async connect(guest: Guest, podUid: string): Promise<Launcher | undefined> {
    return this.#connections.get(guest.uid) ?? this.#stays.run(guest.uid, () => this.#connect(guest, podUid))
  }

  async #connect(guest: Guest, podUid: string): Promise<Launcher | undefined> {
    const known = this.#connections.get(guest.uid)
    if (known !== undefined) return known
    await this.#listen(guest, podUid)
    const folder = emptyDirPath(this.#options.podsFolder, podUid, 'sockets')
    const socket = hold(folder, launcherSocket)
    if (socket === undefined) {
      if (existsSync(folder)) this.#sockets.add(guest, folder)
      return undefined
    }
    this.#sockets.remove(guest.uid)
    try {
      return await this.#open(guest, podUid, socket, join(folder, launcherSocket))
    } catch (error) {
      // A client must not outlive its descriptor, whose number leads elsewhere as soon as it is given out again.
      this.#disconnect(guest.uid)
      socket.close()
      throw error
    }
  }

  /**
   * Nothing of the guest's stay in this pod is left on the node; undefined where no pod was known. A guest that has
   * another pod here meanwhile is not forgotten.
   */
  async forget(uid: string, podUid: string | undefined): Promise<void> {
    await this.#stays.run(uid, async () => {
      if (this.podUid(uid) === podUid) await this.#forget(uid)
    })
  }

  async #forget(uid: string): Promise<void> {
    this.#sockets.remove(uid)
    this.#disconnect(uid)
    await this.#closePipe(uid)
    await this.#options.records.remove(uid)
    this.#records.delete(uid)
    this.#reportedDead.delete(uid)
    this.#options.domains.forget(uid)
  }

  /** Lets go of every launcher; no guest notices. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#sockets.close()
    for (const uid of this.#connections.keys()) this.#disconnect(uid)
    await Promise.all([...this.#pipes.keys()].map((uid) => this.#closePipe(uid)))
  }

  /** Asks the guest's launcher for its domain, which may be known earlier so than by an event. */
  async refresh(uid: string): Promise<void> {
    const connection = this.#connections.get(uid)
    if (connection !== undefined) await this.#ask(connection)
  }

  async resync(): Promise<void> {
    const connections = [...this.#connections.values()]
    await Promise.all(connections.map((each) => this.#ask(each).catch((error) => this.#warn(each.guest, error))))
  }

  async #open(guest: Guest, podUid: string, socket: HeldPath, socketFile: string): Promise<Launcher | undefined> {
    const process = identify(listenerOf(socket)?.pid ?? 0)
    if (process === undefined) {
      socket.close()
      return undefined
    }
    const record = { ...identityOf(guest), podUid, socketFile, launcher: process }
    await this.#options.records.write(guest.uid, record)
    this.#records.set(guest.uid, record)
    const cmd = createCmdClient(socket.path)
    const connection = {
      guest: identityOf(guest),
      podUid,
      process,
      cmd,
      socket,

      reportedSilent: false,
      lastAnswerMs: Date.now(),
    }
    this.#connections.set(guest.uid, connection)
    await this.#ask(connection)
    return connection
  }

  async #listen(guest: Guest, podUid: string): Promise<void> {
    const { domains, podsFolder, onEvent } = this.#options
    // The pod of an earlier stay may have been tried before the new one was there.
    if (this.#pipes.get(guest.uid)?.podUid === podUid) return
    await this.#closePipe(guest.uid)
    const options: NotifyPipeOptions = {
      podsFolder,
      podUid,
      onDomain: (domain) => domains.told(identityOf(guest), domain),
      onEvent: (event) => onEvent(guest, event),
    }
    const opening = openNotifyPipe(options)
    this.#pipes.set(guest.uid, { podUid, opening })
    const pipe = await opening.catch((error: unknown) => {
      this.#pipes.delete(guest.uid)
      const reason = `cannot receive events of ${guest.namespace}/${guest.name}: ${(error as Error).message}`
      throw new VirtError('NotifyPipeFailed', reason, { cause: error })
    })
    if (pipe === undefined) this.#pipes.delete(guest.uid)
  }

  async #closePipe(uid: string): Promise<void> {
    const pipe = this.#pipes.get(uid)
    this.#pipes.delete(uid)
    await (await pipe?.opening.catch(() => undefined))?.close()
  }

  async #ask({ guest, cmd }: Connection): Promise<void> {
    const { domains } = this.#options
    const asked = domains.version(guest.uid)
    const { domain } = succeeded(await cmd.getDomain({}))
    domains.answered(guest, domain === '' ? undefined : (JSON.parse(domain) as Domain), asked)
  }

  #disconnect(uid: string): void {
    const connection = this.#connections.get(uid)
    this.#connections.delete(uid)
    connection?.cmd.close()
    connection?.socket.close()
  }

  #reportDead(): void {
    for (const record of this.#records.values()) {
      if (this.#reportedDead.has(record.uid) || isAlive(record.launcher)) continue
      this.#reportedDead.add(record.uid)
      this.#options.onChange(identityOf(record))
    }
  }

  async #pingAll(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((each) => this.#ping(each)))
  }

  async #ping(connection: Connection): Promise<void> {
    const answered = await connection.cmd.ping({}).then(
      () => true,
      () => false,
    )
    if (answered) {
      connection.lastAnswerMs = Date.now()
      connection.reportedSilent = false
      return
    }
    const silentMs = Date.now() - connection.lastAnswerMs
    if (connection.reportedSilent || silentMs < this.#watchdogMs || !isAlive(connection.process)) return
    connection.reportedSilent = true
    this.#options.onSilent(connection.guest)
  }

  #warn(guest: Guest, error: unknown): void {
    const { namespace, name, uid } = guest
    this.#options.log.warn({ namespace, name, uid, error }, 'a launcher did not answer')
  }
}

const identityOf = ({ namespace, name, uid }: Guest): Guest => ({ namespace, name, uid })
