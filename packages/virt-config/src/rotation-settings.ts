import type { KubeVirtCertificateRotateStrategy } from '@kubevirt-ts/api'

export interface Lifetime {
  /** Milliseconds from the first to the last moment of validity. */
  readonly duration: number
  /** Milliseconds before the end at which a successor is made. */
  readonly renewBefore: number
}

export interface RotationSettings {
  readonly ca: Lifetime
  readonly leaf: Lifetime
}

const hour = 3_600_000
const defaultCaDuration = 7 * 24 * hour
const defaultLeafDuration = 24 * hour

/** How long certificates shall live, as the KubeVirt resource says. The deprecated intervals win, as in the original. */
export function askedRotation(strategy: KubeVirtCertificateRotateStrategy | undefined): RotationSettings {
  const { ca, server, caRotateInterval, caOverlapInterval, certRotateInterval } = strategy?.selfSigned ?? {}
  return {
    ca: lifetime(caRotateInterval ?? ca?.duration, caOverlapInterval ?? ca?.renewBefore, defaultCaDuration),
    leaf: lifetime(certRotateInterval ?? server?.duration, server?.renewBefore, defaultLeafDuration),
  }
}

function lifetime(duration: string | undefined, renewBefore: string | undefined, fallback: number): Lifetime {
  const whole = milliseconds(duration) ?? fallback
  return { duration: whole, renewBefore: milliseconds(renewBefore) ?? whole / 5 }
}

/** How long certificates live. A successor that is due at once would be made over and over. */
export function rotationSettings(strategy: KubeVirtCertificateRotateStrategy | undefined): RotationSettings {
  const { ca, leaf } = askedRotation(strategy)
  return { ca: usable(ca), leaf: usable(leaf) }
}

const usable = ({ duration, renewBefore }: Lifetime): Lifetime => ({
  duration,
  renewBefore: renewBefore < duration ? renewBefore : duration / 5,
})

const units: Readonly<Record<string, number>> = { h: hour, m: 60_000, s: 1000, ms: 1 }

/** A duration as Go writes it, `168h0m0s`; undefined for anything else and for nothing. */
function milliseconds(text: string | undefined): number | undefined {
  const parts = [...(text ?? '').matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((total, [, count, unit]) => total + Number(count) * (units[unit ?? ''] ?? 0), 0) || undefined
}
