import { type KubeVirtConfiguration, parseQuantity, type Quantity } from '@kubevirt-ts/api'
import type { ImageSize } from '../host/mounts/virt-chroot.ts'

const defaultTolerancePercent = 10
const defaultReserve = 131_072n
const mebibyte = 1024n * 1024n

/**
 * How large an image fills a volume of the given size, and how small one may be where the volume turns out to have
 * less space than it says (`pvcTolerateLessSpaceUpToPercent`). No size: nothing is made.
 */
export function imageSize(
  capacity: Quantity | undefined,
  { developerConfiguration }: KubeVirtConfiguration,
): ImageSize {
  if (capacity === undefined) return { size: 0n, least: 0n }
  const { pvcTolerateLessSpaceUpToPercent: tolerance = defaultTolerancePercent, minimumReservePVCBytes: reserve } =
    developerConfiguration ?? {}
  const usable = parseQuantity(capacity) - (reserve === undefined ? defaultReserve : BigInt(reserve))
  const size = (usable / mebibyte) * mebibyte
  return size <= 0n ? { size: 0n, least: 0n } : { size, least: (size * BigInt(100 - tolerance)) / 100n }
}
