import { secrets as secretResource } from '@kubevirt-ts/api'
import type { ConfigMap, KubeVirtCertificateRotateStrategy, Secret } from '@kubevirt-ts/api'
import { keyFor } from '@kubevirt-ts/controller'
import type { Lister, ReconcileResult } from '@kubevirt-ts/controller'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { rotationSettings } from '@kubevirt-ts/virt-config'
import type { RotationSettings } from '@kubevirt-ts/virt-config'
import { dueLeaves, isCaDue, nextDueIn, trustedBundle } from './decide.ts'
import { certificatesOf, keyPairOf } from './held.ts'
import type { KeyPair } from './held.ts'
import { injectBundle } from './inject.ts'
import type { InjectionTargets } from './inject.ts'
import { caBundleKey, caConfigMap, caSecret, inventory } from './inventory.ts'
import { newAuthority, newLeaf } from './sign.ts'
import { storeBundle, storePair } from './store.ts'

export interface Deps {
  readonly client: KubeClient
  readonly namespace: string
  /** Secrets and ConfigMaps of the install namespace. */
  readonly secrets: Pick<Lister<Secret>, 'get'>
  readonly configMaps: Pick<Lister<ConfigMap>, 'get'>
  readonly targets: () => InjectionTargets
  readonly strategy: () => KubeVirtCertificateRotateStrategy | undefined
  readonly now: () => number
  readonly log: Logger
}

/** Something outside may have changed without an event reaching us; an hour later it is noticed anyway. */
const longestPauseMs = 3_600_000

/**
 * One pass over all certificates: the authority, the bundle that trusts it, the leaves, and those who must trust
 * virt-api. The bundle is published before anything is signed, so that a new leaf meets peers that can know it.
 */
export async function reconcile(deps: Deps): Promise<ReconcileResult> {
  const settings = rotationSettings(deps.strategy())
  const ca = await authority(deps, settings)
  const bundle = await publishBundle(deps, ca)
  const pairs = await leaves(deps, settings, ca)
  await injectBundle(deps.client, deps.targets(), deps.namespace, bundle)
  const pause = nextDueIn(pairs, ca.certificate, settings, deps.now())
  return { requeueAfter: Math.min(Math.max(pause, 1000), longestPauseMs) }
}

async function authority({ client, namespace, secrets, now, log }: Deps, settings: RotationSettings): Promise<KeyPair> {
  const cached = keyPairOf(secrets.get(keyFor(namespace, caSecret)))
  if (cached !== undefined && !isCaDue(cached, settings, now())) return cached
  // The cache may be behind our own last write, and a second authority would void every leaf of the first.
  const held = keyPairOf(await client.get(secretResource, { namespace, name: caSecret }).catch(absent))
  if (held !== undefined && !isCaDue(held, settings, now())) return held
  const stored = await storePair(client, namespace, caSecret, newAuthority(settings.ca.duration, now()))
  log.info({ secret: caSecret }, held === undefined ? 'authority created' : 'authority renewed')
  return requirePair(stored)
}

async function publishBundle({ client, namespace, configMaps, now, log }: Deps, ca: KeyPair): Promise<string> {
  const current = configMaps.get(keyFor(namespace, caConfigMap))?.data?.[caBundleKey]
  const bundle = trustedBundle(ca.certificate, certificatesOf(current), now())
  if (current === bundle) return bundle
  await storeBundle(client, namespace, bundle)
  log.info({ configMap: caConfigMap, authorities: certificatesOf(bundle).length }, 'authorities published')
  return bundle
}

async function leaves(deps: Deps, settings: RotationSettings, ca: KeyPair): Promise<KeyPair[]> {
  const { client, namespace, secrets, now, log } = deps
  const specs = inventory(namespace)
  const held = new Map(specs.map((spec) => [spec.secret, keyPairOf(secrets.get(keyFor(namespace, spec.secret)))]))
  for (const spec of dueLeaves(specs, ({ secret }) => held.get(secret), ca.certificate, settings, now())) {
    const pair = newLeaf(spec, ca, settings.leaf.duration, now())
    held.set(spec.secret, requirePair(await storePair(client, namespace, spec.secret, pair)))
    log.info({ secret: spec.secret }, 'certificate signed')
  }
  return [...held.values()].filter((pair) => pair !== undefined)
}

function requirePair(secret: Secret): KeyPair {
  const pair = keyPairOf(secret)
  if (pair === undefined) throw new Error(`Secret ${secret.metadata.name} does not hold the certificate just written`)
  return pair
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error
  return undefined
}
