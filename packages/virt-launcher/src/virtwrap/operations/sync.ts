import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { toXml, type DomainSpec } from '@kubevirt-ts/domain'
import type { VirtualMachineOptions } from '@kubevirt-ts/handler-launcher-com'
import type { Connection, Domain } from '@kubevirt-ts/libvirt'
import { isFinal, isRunning } from '@kubevirt-ts/vmispec'
import { toDomain } from '../converter/index.ts'
import { gatherContext } from '../host-facts.ts'
import type { Launcher } from '../launcher.ts'
import { fitToHost, readFacts } from '../libvirt-fit.ts'
import { withNetwork } from '../network-cards.ts'
import { prepareDisks } from '../storage/prepare-disks.ts'

/**
 * Brings the guest to what the VMI asks for: defines it if libvirt does not know it, starts it if it was never
 * started, resumes it if it was not the user who paused it. Repeating it changes nothing.
 */
export async function sync(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
): Promise<void> {
  await launcher.libvirt.change(async (known, connection) => {
    const domain = known ?? (await define(vmi, told, launcher, connection))
    try {
      await run(vmi, domain, launcher)
    } finally {
      if (domain !== known) domain[Symbol.dispose]()
    }
  })
}

async function define(
  vmi: VirtualMachineInstance,
  told: VirtualMachineOptions | undefined,
  launcher: Launcher,
  connection: Connection,
): Promise<Domain> {
  const { options, places, log } = launcher
  const context = await gatherContext(vmi, told, { options, paths: places.guest })
  const wanted = toDomain(vmi, context)
  await prepareDisks(vmi, wanted, places.guest)
  const plan = await launcher.network.prepare(vmi)
  const { $arch: arch, $machine: machine } = wanted.os.type
  const capabilities = await connection.domainCapabilities({ arch, machine, virtType: wanted.$type })
  const xml = toXml(fitToHost(withGracePeriod(withNetwork(wanted, plan), vmi), readFacts(capabilities)))
  log.debug({ xml }, 'defining the domain')
  const domain = await connection.defineXml(xml)
  log.info('domain defined')
  return domain
}

/** Without a configured state a guest that ended must stay so: only one that never ran is started. */
async function run(vmi: VirtualMachineInstance, domain: Domain, { log, state }: Launcher): Promise<void> {
  const { state: now, reason } = await domain.state()
  if (now === 'shutoff' && !isRunning(vmi) && !isFinal(vmi)) {
    const paused = startsPaused(vmi)
    await domain.create({ paused: paused || isolatesEmulator(vmi) })
    state.pausedByUser = paused
    log.info({ paused }, 'domain started')
    if (!paused && isolatesEmulator(vmi)) await domain.resume()
  } else if (now === 'paused' && !state.pausedByUser && reason !== 'ioerror') {
    await domain.resume()
    log.info({ reason }, 'domain resumed')
  }
}

function startsPaused(vmi: VirtualMachineInstance): boolean {
  return vmi.spec.startStrategy === 'Paused'
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
