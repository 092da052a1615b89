import type { Connection } from '@kubevirt-ts/libvirt'
import { VirtError } from '@kubevirt-ts/service'

/** What a node runs guests with. */
export type Versions = { readonly qemu: string; readonly libvirt: string }

export async function versionsOf(connection: Pick<Connection, 'version' | 'libvirtVersion'>): Promise<Versions> {
  const [qemu, libvirt] = await Promise.all([connection.version(), connection.libvirtVersion()])
  return { qemu, libvirt }
}

/**
 * Why a move failed, with the versions where they differ: what one side says of a machine, a device or a cookie that it
 * does not know is only understood with them. Nobody is refused for its version alone, since nearly all of them fit; whether
 * two do, libvirt and QEMU find out before the guest is switched over.
 */
export function withVersions(error: unknown, here: Versions, there: Versions): unknown {
  if (here.qemu === there.qemu && here.libvirt === there.libvirt) return error
  const sides = `${name(here)} at the source, ${name(there)} at the target`
  const advice = isOlder(there, here) ? ', and a guest need not fit an older one' : ''
  const message = `${(error as Error).message} (the versions differ: ${sides}${advice})`
  return new VirtError('MigrationVersionSkew', message, { cause: error })
}

const name = ({ qemu, libvirt }: Versions): string => `QEMU ${qemu} and libvirt ${libvirt}`

const isOlder = (one: Versions, other: Versions): boolean =>
  compare(one.qemu, other.qemu) < 0 || compare(one.libvirt, other.libvirt) < 0

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number))
  for (const [index, number] of (left ?? []).entries()) {
    const difference = number - (right?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
