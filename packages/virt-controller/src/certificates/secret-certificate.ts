import type { Secret } from '@kubevirt-ts/api'
import type { Informer } from '@kubevirt-ts/controller'
import type { Certificate, CertificateSource } from '@kubevirt-ts/service'
import { keyPairOf } from './held.ts'

/** A certificate read from its Secret through the API, for as long as the kubelet has not mounted it. */
export function secretCertificate(secrets: Pick<Informer<Secret>, 'on'>, name: string): CertificateSource {
  const listeners = new Set<() => void>()
  let current: Certificate | undefined
  const take = (secret: Secret): void => {
    const pair = secret.metadata.name === name ? keyPairOf(secret) : undefined
    if (pair === undefined || pair.cert === current?.cert) return
    current = { cert: pair.cert, key: pair.key }
    for (const listener of listeners) listener()
  }
  const close = secrets.on({ added: take, updated: (_, secret) => take(secret) })
  return { current: () => current, onChange: (listener) => subscribe(listeners, listener), close }
}

/** The first source that has a certificate. */
export function firstOf(sources: readonly CertificateSource[]): CertificateSource {
  return {
    current: () => sources.map((source) => source.current()).find((certificate) => certificate !== undefined),
    onChange: (listener) => {
      const ends = sources.map((source) => source.onChange(listener))
      return () => ends.forEach((end) => end())
    },
    close: () => sources.forEach((source) => source.close()),
  }
}

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
