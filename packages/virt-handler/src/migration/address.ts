import { networkInterfaces } from 'node:os'

/** The link of a network that is set apart for migrations; KubeVirt's name. */
const dedicatedLink = 'migration0'

/** Where other nodes' agents reach this one for migrations: on the dedicated network where there is one. */
export function migrationAddress(podAddress: string): string {
  const own = networkInterfaces()[dedicatedLink]?.filter(({ address }) => !address.startsWith('fe80:')) ?? []
  return own[0]?.address ?? podAddress
}
