import type { Lane } from '@kubevirt-ts/service/lane'
import { callError, errorCode, isLibvirtError } from './error.ts'
import { library, type Library, type Pointer } from './library.ts'
import { carryThrough } from './move.ts'
import { type Side, stepsOf } from './move-steps.ts'
import { offThread } from './off-thread.ts'
import { stateOf, type StateAndReason } from './state.ts'
import { takeScreenshot } from './screenshot.ts'
import { readCompletedJob, readStatistics } from './statistics.ts'
import type {
  CompletedJob,
  Connection,
  Domain,
  DomainInfo,
  DomainJob,
  DomainStatistics,
  MigrateOptions,
  MoveGuide,
  Scope,
} from './types.ts'

/** Numbers of libvirt's flags (libvirt-domain.h). */
const flag = {
  createPaused: 1,
  shutdown: { default: 0, acpi: 1, agent: 2 },
  destroyGraceful: 1,
  undefine: { managedSave: 1, snapshotsMetadata: 2, nvram: 8, checkpointsMetadata: 16 },
  reboot: { acpi: 1, agent: 2 },
  xml: { inactive: 2, migratable: 8 },
  affect: { live: 1, config: 2 },
  resizeInBytes: 1,
  dumpRaw: 0,
  dumpMemoryOnly: 16,
} as const

const metadataElement = 2

type NumberCall = { [K in keyof Library]: Library[K] extends { async: unknown } ? K : never }[keyof Library]

const affected = ({ live = false, config = false }: Scope): number =>
  (live ? flag.affect.live : 0) | (config ? flag.affect.config : 0)

let references = 0

/** How many references to domains libvirt has given out and not got back. */
export const domainReferences = (): number => references

/** The domain behind one reference that libvirt gave out. */
export class LibvirtDomain implements Domain {
  readonly name: string
  readonly #connection: Pointer
  readonly #lane: Lane
  #pointer: Pointer

  /** Takes over the reference. */
  constructor(pointer: Pointer, connection: Pointer, lane: Lane) {
    references += 1
    this.#pointer = pointer
    this.#connection = connection
    this.#lane = lane
    this.name = library().name(pointer) as string
  }

  create({ paused = false }: { paused?: boolean } = {}): Promise<void> {
    return this.#do('create', paused ? flag.createPaused : 0)
  }

  shutdown(by: 'default' | 'acpi' | 'agent' = 'default'): Promise<void> {
    return this.#do('shutdown', flag.shutdown[by])
  }

  destroy({ graceful = false }: { graceful?: boolean } = {}): Promise<void> {
    return this.#do('destroy', graceful ? flag.destroyGraceful : 0)
  }

  undefine({ keepNvram = false }: { keepNvram?: boolean } = {}): Promise<void> {
    const { managedSave, snapshotsMetadata, nvram, checkpointsMetadata } = flag.undefine
    const plain = managedSave | snapshotsMetadata
    return this.#do('undefine', keepNvram ? plain | checkpointsMetadata | nvram : plain)
  }

  suspend(): Promise<void> {
    return this.#do('suspend')
  }

  resume(): Promise<void> {
    return this.#do('resume')
  }

  reset(): Promise<void> {
    return this.#do('reset', 0)
  }

  reboot(by: 'acpi' | 'agent'): Promise<void> {
    return this.#do('reboot', flag.reboot[by])
  }

  async state(): Promise<StateAndReason> {
    const state = [0]
    const reason = [0]
    await this.#do('state', state, reason, 0)
    return stateOf(state[0]!, reason[0]!)
  }

  xml({ inactive = false, migratable = false }: { inactive?: boolean; migratable?: boolean } = {}): Promise<string> {
    return this.#ask('xml', (inactive ? flag.xml.inactive : 0) | (migratable ? flag.xml.migratable : 0))
  }

  setMetadata(
    element: string | undefined,
    { prefix, uri }: { prefix: string; uri: string },
    { live = false, config = false }: Scope,
  ): Promise<void> {
    const scope = affected({ live, config })
    return this.#do('setMetadata', metadataElement, element ?? null, prefix, uri, scope)
  }

  async metadata(uri: string): Promise<string | undefined> {
    try {
      return await this.#ask('metadata', metadataElement, uri, 0)
    } catch (error) {
      if (isLibvirtError(error, errorCode.noDomainMetadata)) return undefined
      throw error
    }
  }

  async info(): Promise<DomainInfo> {
    const info = [{} as { maxMem: number; memory: number; nrVirtCpu: number; cpuTime: number | bigint }]
    await this.#do('info', info)
    const { maxMem, memory, nrVirtCpu, cpuTime } = info[0]!
    return { maxMemory: maxMem, memory, vcpus: nrVirtCpu, cpuTimeNs: BigInt(cpuTime) }
  }

  async migrate(destination: Connection, options: MigrateOptions, guide: MoveGuide): Promise<void> {
    const here: Side = {
      pointer: this.#live(),
      run: (task) => this.#lane.run(task),
      error: (call) => this.#error(call),
    }
    using steps = stepsOf(here, destination.side(), this.name, options)
    await carryThrough(steps, guide)
  }

  async job(): Promise<DomainJob | undefined> {
    const info = [
      {} as Record<
        'type' | 'timeElapsed' | 'dataTotal' | 'dataProcessed' | 'dataRemaining' | 'memTotal',
        number | bigint
      >,
    ]
    await this.#do('jobInfo', info)
    const { type, timeElapsed, dataTotal, dataProcessed, dataRemaining, memTotal } = info[0]!
    if (Number(type) === 0) return undefined
    return {
      elapsedMs: Number(timeElapsed),
      dataTotal: Number(dataTotal),
      dataProcessed: Number(dataProcessed),
      dataRemaining: Number(dataRemaining),
      memoryTotal: Number(memTotal),
    }
  }

  completedJob(): Promise<CompletedJob | undefined> {
    return this.#lane.run(async () => {
      const statistics = await readCompletedJob(this.#live())
      if (statistics === undefined) throw this.#error('jobStats')
      const { downtime, data_total: total, data_processed: processed, time_elapsed: elapsed } = statistics
      if (elapsed === undefined) return undefined
      const job = { elapsedMs: Number(elapsed), dataTotal: Number(total ?? 0), dataProcessed: Number(processed ?? 0) }
      return downtime === undefined ? job : { ...job, downtimeMs: Number(downtime) }
    })
  }

  abortJob(): Promise<void> {
    return this.#do('abortJob')
  }

  startPostCopy(): Promise<void> {
    return this.#do('startPostCopy', 0)
  }

  setMaxDowntime(milliseconds: number): Promise<void> {
    return this.#do('setMaxDowntime', milliseconds, 0)
  }

  setTime(time: Date): Promise<void> {
    const milliseconds = time.getTime()
    return this.#do('setTime', Math.floor(milliseconds / 1_000), (milliseconds % 1_000) * 1_000_000, 0)
  }

  attachDevice(xml: string, scope: Scope): Promise<void> {
    return this.#do('attachDevice', xml, affected(scope))
  }

  detachDevice(xml: string, scope: Scope): Promise<void> {
    return this.#do('detachDevice', xml, affected(scope))
  }

  updateDevice(xml: string, scope: Scope): Promise<void> {
    return this.#do('updateDevice', xml, affected(scope))
  }

  blockResize(target: string, bytes: bigint): Promise<void> {
    return this.#do('blockResize', target, bytes, flag.resizeInBytes)
  }

  setVcpus(count: number, scope: Scope): Promise<void> {
    return this.#do('setVcpus', count, affected(scope))
  }

  coreDump(path: string): Promise<void> {
    return this.#do('coreDump', path, flag.dumpRaw, flag.dumpMemoryOnly)
  }

  setUserPassword(user: string, password: string): Promise<void> {
    return this.#do('setUserPassword', user, password, 0)
  }

  startDirtyRate(seconds: number): Promise<void> {
    return this.#do('startDirtyRate', seconds, 0)
  }

  stats(): Promise<DomainStatistics> {
    return this.#lane.run(async () => {
      const statistics = await readStatistics(this.#live())
      if (statistics === undefined) throw this.#error('stats')
      return statistics
    })
  }

  screenshot(): Promise<{ mime: string; data: Buffer }> {
    return this.#lane.run(async () => {
      const picture = await takeScreenshot(this.#live(), this.#connection)
      if (picture === undefined) throw this.#error('screenshot')
      return picture
    })
  }

  agentCommand(command: string, timeoutSeconds: number): Promise<string> {
    return this.#lane.run(async () => {
      const answer = await offThread<string | null>(library().agentCommand(), this.#live(), command, timeoutSeconds, 0)
      if (answer === null) throw this.#error('agentCommand')
      return answer
    })
  }

  /** With the last reference libvirt also ends a connection that was lost, which may take its time. */
  [Symbol.dispose](): void {
    const pointer = this.#pointer
    if (pointer === undefined) return
    this.#pointer = undefined
    void this.#lane.run(() => offThread(library().free, pointer)).then(() => (references -= 1))
  }

  /** A call that answers 0 or more, or -1 for an error. */
  async #do(call: NumberCall, ...args: unknown[]): Promise<void> {
    await this.#lane.run(async () => {
      const result = await offThread<number>(library()[call], this.#live(), ...args)
      if (result < 0) throw this.#error(call)
    })
  }

  /** A call that answers a string, or NULL for an error. */
  #ask(call: NumberCall, ...args: unknown[]): Promise<string> {
    return this.#lane.run(async () => {
      const result = await offThread<string | null>(library()[call], this.#live(), ...args)
      if (result === null) throw this.#error(call)
      return result
    })
  }

  #live(): Pointer {
    if (this.#pointer === undefined) throw new Error(`domain ${this.name} was used after it was freed`)
    return this.#pointer
  }

  #error(call: string) {
    return callError(`${call} of ${this.name}`, this.#connection)
  }
}
