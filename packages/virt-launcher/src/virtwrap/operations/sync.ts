import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseDomain, toXml, type DomainSpec } from '@kubevirt-ts/domain'
import type { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import type { Connection, Domain } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'
import { isFinal, isRunning } from '@kubevirt-ts/vmispec'
import { toDomain } from '../converter/index.ts'
import { gatherContext } from '../host-facts.ts'
import { withHotplugPorts } from '../hotplug-ports.ts'
import type { Launcher } from '../launcher.ts'
import { fitToHost, readFacts } from '../libvirt-fit.ts'
import { fitToSchema } from '../schema-fit.ts'
import { withNetwork } from '../network-cards.ts'
import { changeLive } from '../live/index.ts'
import { presentable, withTargets } from '../live/presentable.ts'
import { checkPasst } from '../passt-limit.ts'
import { chooseCaches } from '../storage/cache.ts'
import { prepareDisks } from '../storage/prepare-disks.ts'

/**
 * Brings the guest to what the VMI asks for: defines it if libvirt does not know it, starts it if it was never
 * started, resumes it if it was not the user who paused it. Repeating it changes nothing. As long as the VMI is not handed
 * over to a node the guest is made but does not run.
 */
export async function sync(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
): Promise<void> {
  launcher.credentials.follow(vmi)
  await launcher.libvirt.change(async (known, connection) => {
    if (known) {
      const started = await run(vmi, known, launcher)
      if (!started && (await isLive(known))) await change(vmi, told, known, launcher)
      return
    }
    using domain = await define(vmi, told, launcher, connection)
    await run(vmi, domain, launcher)
  })
  launcher.downwardMetrics.follow(vmi)
}

/** Devices that came, went or changed since the guest was started. */
async function change(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  domain: Domain,
  launcher: Launcher,
): Promise<void> {
  const { options, places } = launcher
  const present = parseDomain(await domain.xml())
  const shown = withTargets(presentable(vmi, places.guest), present)
  const wanted = toDomain(shown, await gatherContext(shown, told, { options, paths: places.guest }))
  await changeLive({ vmi, domain, wanted, present, launcher })
}

async function isLive(domain: Domain): Promise<boolean> {
  const { state } = await domain.state()
  return state === 'running' || state === 'paused'
}

async function define(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
  connection: Connection,
): Promise<Domain> {
  await checkPasst(vmi)
  const wanted = await prepareGuest(vmi, told, launcher)
  const { $arch: arch, $machine: machine } = wanted.os.type
  const capabilities = await connection.domainCapabilities({ arch, machine, virtType: wanted.$type })
  const complete = withHotplugPorts(withGracePeriod(wanted, vmi), vmi)
  const fitted = fitToHost(complete, readFacts(capabilities))
  const disk = await Promise.all((fitted.devices.disk ?? []).map((each) => chooseCaches(each)))
  const xml = await launcher.hooks.onDefineDomain(
    toXml(fitToSchema({ ...fitted, devices: { ...fitted.devices, disk } })),
    vmi,
  )
  launcher.log.debug({ xml }, 'defining the domain')
  const domain = await connection.defineXml(xml).catch(wordedBy('DomainRefused'))
  launcher.log.info('domain defined')
  return domain
}

/** Makes the guest's files and serves its network; the answer is its domain as far as the VMI tells. Repeatable. */
export async function prepareGuest(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  { options, places, network, hooks }: Launcher,
): Promise<DomainSpec> {
  const shown = presentable(vmi, places.guest)
  const wanted = toDomain(shown, await gatherContext(shown, told, { options, paths: places.guest }))
  await prepareDisks(vmi, wanted, places.guest, hooks)
  return withNetwork(wanted, await network.prepare(vmi))
}

/** A guest that ended must stay so: only one that never ran is started. Answers whether it was started now. */
async function run(vmi: VirtualMachineInstance, domain: Domain, { log, state }: Launcher): Promise<boolean> {
  const { state: now, reason } = await domain.state()
  if (now === 'shutoff' && !isRunning(vmi) && !isFinal(vmi)) {
    const paused = startsPaused(vmi)
    const waits = isEarly(vmi)
    await domain.create({ paused: paused || waits || isolatesEmulator(vmi) }).catch(wordedBy('GuestNotStarted'))
    state.pausedByUser = paused
    log.info({ paused, waits }, 'domain started')
    if (!paused && !waits && isolatesEmulator(vmi)) await domain.resume()
    return true
  }
  if (now === 'paused' && !isEarly(vmi) && !state.pausedByUser && reason !== 'ioerror') {
    await domain.resume()
    log.info({ reason }, 'domain resumed')
  }
  return false
}

/** libvirt's words under a stable one: its codes do not tell why a guest cannot be. */
function wordedBy(reason: string) {
  return (cause: Error): never => {
    throw new VirtError(reason, cause.message, { cause })
  }
}

function startsPaused(vmi: VirtualMachineInstance): boolean {
  return vmi.spec.startStrategy === 'Paused'
}

/** Nobody has taken the VMI over yet: it may still fail or be deleted as one whose guest never ran. */
function isEarly({ status }: VirtualMachineInstance): boolean {
  return status?.phase === 'Scheduling'
}

// Its threads are pinned before the first instruction runs.
function isolatesEmulator({ spec }: VirtualMachineInstance): boolean {
  const { cpu } = spec.domain
  return Boolean(cpu?.dedicatedCpuPlacement && cpu.isolateEmulatorThread)
}

function withGracePeriod(domain: DomainSpec, { spec }: VirtualMachineInstance): DomainSpec {
  const graceperiod = { deletionGracePeriodSeconds: String(spec.terminationGracePeriodSeconds ?? 30) }
  return { ...domain, metadata: { kubevirt: { ...domain.metadata?.kubevirt, graceperiod } } }
}
