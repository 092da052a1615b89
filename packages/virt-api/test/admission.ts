import type { AdmissionRequest, KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { isGateEnabled, mergeConfiguration } from '@kubevirt-ts/virt-config'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import type { Admission } from '../src/webhooks/admitter.ts'
import { admitters } from '../src/webhooks/routes.ts'

export interface Asked {
  /** What the review says besides the object. */
  readonly more?: object
  /** What else is in the cluster. */
  readonly objects?: readonly object[]
  readonly gates?: readonly string[]
}

/** Asks a webhook about an object. */
export async function admission(
  path: string,
  object: object,
  { more = {}, objects = [], gates = [] }: Asked = {},
): Promise<Admission> {
  const configuration = mergeConfiguration({ developerConfiguration: { featureGates: [...gates] } })
  const context = {
    settings: { configuration, isEnabled: (gate: FeatureGateName) => isGateEnabled(configuration, gate) },
    client: fakeClient(objects as KubeObject[]),
    chance: { now: () => '2026-01-01T00:00:00Z', newId: () => 'abcde123-bbbb-4ccc-8ddd-eeeeeeeeeeee' },
    namespace: 'kubevirt',
  }
  const given = { metadata: { name: 'x', namespace: 'n' }, ...object }
  const request = { uid: 'u', operation: 'CREATE', namespace: 'n', name: 'x', userInfo: {}, object: given, ...more }
  return admitters[path]!(request as unknown as AdmissionRequest, context)
}

/** Fields that a webhook finds fault with. */
export const fields = async (...asked: Parameters<typeof admission>): Promise<(string | undefined)[]> =>
  ((await admission(...asked)).causes ?? []).map(({ field }) => field)
