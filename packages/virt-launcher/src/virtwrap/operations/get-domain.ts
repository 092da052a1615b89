import type { Domain } from '@kubevirt-ts/domain'
import { reportDomain } from '../domain-report.ts'
import type { Launcher } from '../launcher.ts'

/** The domain as it is now; undefined before it is defined and after it was deleted. */
export async function getDomain({ libvirt, state }: Launcher): Promise<Domain | undefined> {
  return libvirt.ask(async (domain) => (domain ? reportDomain(domain, state.facts) : undefined))
}
