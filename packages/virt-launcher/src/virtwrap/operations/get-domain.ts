import { readFile } from 'node:fs/promises'
import type { Domain } from '@kubevirt-ts/domain'
import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import { endingSignal } from '../../monitor/ending-signal.ts'
import { reportDomain } from '../domain-report.ts'
import type { Launcher } from '../launcher.ts'

/** The domain as it is now; undefined before it is defined and after it was deleted. */
export async function getDomain(launcher: Launcher): Promise<Domain | undefined> {
  const { libvirt, state } = launcher
  const domain = await libvirt.ask(async (known) => {
    if (!known) return undefined
    try {
      return await reportDomain(known, state.facts, state.migration)
    } catch (error) {
      // It was deleted between two of the questions.
      if (isLibvirtError(error, errorCode.noDomain)) return undefined
      throw error
    }
  })
  return domain && withSignal(domain, launcher)
}

/** The same for who asks; of a guest that has just arrived not before its first moments are over. */
export async function getSettledDomain(launcher: Launcher): Promise<Domain | undefined> {
  const domain = await getDomain(launcher)
  const { firstMoments } = launcher.state
  if (firstMoments === undefined) return domain
  await firstMoments
  return getDomain(launcher)
}

/** A guest that crashed is told with the signal that ended QEMU. Its number is known as long as it runs only. */
async function withSignal(domain: Domain, { state, places }: Launcher): Promise<Domain> {
  const { status, reason } = domain.status
  if (status === 'Running') state.qemuPid ??= await readPid(places.qemuPidFile)
  if (state.qemuPid === undefined || status !== 'Shutoff' || reason !== 'Crashed') return domain
  const signal = await endingSignal(places.guest.private, state.qemuPid)
  return signal === undefined ? domain : { ...domain, status: { ...domain.status, signal } }
}

async function readPid(file: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10)
  return pid > 1 ? pid : undefined
}
