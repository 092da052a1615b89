import { parseQuantity, type PersistentVolumeClaimInfo } from '@kubevirt-ts/api'

const mebibyte = 1024n * 1024n
const scale = 1_000_000n

/**
 * Bytes of the disk image that fill a claim with a filesystem: what its capacity leaves beside the filesystem's own
 * needs, in whole MiB. Undefined when nothing is known of the claim.
 */
export function imageBytesOf(claim: PersistentVolumeClaimInfo | undefined): bigint | undefined {
  const capacity = claim?.capacity?.storage
  if (capacity === undefined) return undefined
  const overhead = BigInt(Math.round(Number(claim?.filesystemOverhead ?? 0) * Number(scale)))
  const usable = (parseQuantity(capacity) * (scale - overhead)) / scale
  return (usable / mebibyte) * mebibyte
}
