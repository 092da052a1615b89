import { apiServices, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@kubevirt-ts/api'
import type { APIService, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'

const service = 'virt-api'

interface Operation {
  readonly op: 'add' | 'test'
  readonly path: string
  readonly value: unknown
}

type Webhooks = MutatingWebhookConfiguration | ValidatingWebhookConfiguration

/** Whether the API service is answered by our virt-api. */
export function isOurs({ spec }: APIService, namespace: string): boolean {
  return (
    spec.group === 'subresources.kubevirt.io' && spec.service?.name === service && spec.service.namespace === namespace
  )
}

/** The change that makes the API server trust virt-api as this API service; empty where it already does. */
export function apiServicePatch({ spec }: APIService, bundle: string): readonly Operation[] {
  return spec.caBundle === bundle ? [] : [{ op: 'add', path: '/spec/caBundle', value: bundle }]
}

/** The same for every webhook of a configuration that calls our virt-api. */
export function webhookPatch({ webhooks = [] }: Webhooks, namespace: string, bundle: string): readonly Operation[] {
  return webhooks.flatMap(({ name, clientConfig }, index) => {
    const ours = clientConfig.service?.name === service && clientConfig.service.namespace === namespace
    if (!ours || clientConfig.caBundle === bundle) return []
    return [
      // The list may have changed since it was seen.
      { op: 'test', path: `/webhooks/${index}/name`, value: name },
      { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: bundle },
    ]
  })
}

/** What there is to inject into, as the caches show it. */
export interface InjectionTargets {
  readonly apiServices: readonly APIService[]
  readonly mutating: readonly MutatingWebhookConfiguration[]
  readonly validating: readonly ValidatingWebhookConfiguration[]
}

/** Puts the bundle (PEM) wherever the API server must verify virt-api. */
export async function injectBundle(
  client: KubeClient,
  targets: InjectionTargets,
  namespace: string,
  pem: string,
): Promise<void> {
  const bundle = Buffer.from(pem).toString('base64')
  const ours = targets.apiServices.filter((each) => isOurs(each, namespace))
  const changes = [
    ...ours.map((each) => ({ kind: apiServices, name: each.metadata.name, patch: apiServicePatch(each, bundle) })),
    ...targets.mutating.map((each) => ({
      kind: mutatingWebhookConfigurations,
      name: each.metadata.name,
      patch: webhookPatch(each, namespace, bundle),
    })),
    ...targets.validating.map((each) => ({
      kind: validatingWebhookConfigurations,
      name: each.metadata.name,
      patch: webhookPatch(each, namespace, bundle),
    })),
  ]
  for (const { kind, name, patch } of changes) {
    if (patch.length === 0) continue
    await client.patch<unknown>(kind, { name }, patch, { type: 'json' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
}
