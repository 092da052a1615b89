import type { Domain } from '@kubevirt-ts/domain'
import { errorCode, isLibvirtError } from '@kubevirt-ts/libvirt'
import { reportDomain } from '../domain-report.ts'
import type { Launcher } from '../launcher.ts'

/** The domain as it is now; undefined before it is defined and after it was deleted. */
export async function getDomain({ libvirt, state }: Launcher): Promise<Domain | undefined> {
  return libvirt.ask(async (domain) => {
    if (!domain) return undefined
    try {
      return await reportDomain(domain, state.facts, state.migration)
    } catch (error) {
      // It was deleted between two of the questions.
      if (isLibvirtError(error, errorCode.noDomain)) return undefined
      throw error
    }
  })
}
