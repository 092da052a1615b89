import { parseQuantity, type PersistentVolumeClaimInfo } from '@kubevirt-ts/api'

const mebibyte = 1024n * 1024n
const scale = 1_000_000n
/** CDI's, for clusters that tell none. */
const defaultOverhead = 0.055

/**
 * Bytes of the disk image that fill a claim with a filesystem: what its capacity leaves beside the filesystem's own
 * needs, in whole MiB. Undefined when nothing is known of the claim.
 */
export function imageBytesOf(claim: PersistentVolumeClaimInfo | undefined): bigint | undefined {
  const capacity = claim?.capacity?.storage
  if (capacity === undefined) return undefined
  const overhead = BigInt(Math.round(Number(claim?.filesystemOverhead ?? defaultOverhead) * Number(scale)))
  const usable = (parseQuantity(capacity) * (scale - overhead)) / scale
  return (usable / mebibyte) * mebibyte
}
