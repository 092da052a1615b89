import { apiServices, mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@kubevirt-ts/api'
import type { MutatingWebhookConfiguration, ResourceType, ValidatingWebhookConfiguration } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { remove } from './owned-resources.ts'

export interface RegistrationOptions {
  readonly client: KubeClient
  /** Of the installation; webhooks of another one stay. */
  readonly namespace: string
  readonly log: Logger
}

type Webhooks = MutatingWebhookConfiguration | ValidatingWebhookConfiguration

/** Removes the webhooks that call this installation's virt-api: without it they would refuse every change. */
export async function removeWebhooks(options: RegistrationOptions): Promise<void> {
  await removeKind(mutatingWebhookConfigurations, options)
  await removeKind(validatingWebhookConfigurations, options)
}

async function removeKind<T extends Webhooks>(kind: ResourceType<T>, options: RegistrationOptions): Promise<void> {
  const { client, namespace, log } = options
  for (const configuration of (await client.list(kind)).items) {
    if (!callsOurs(configuration, namespace)) continue
    await remove(client, kind, configuration)
    log.info({ webhooks: configuration.metadata.name }, 'webhooks removed')
  }
}

function callsOurs({ webhooks }: Webhooks, namespace: string): boolean {
  const services = webhooks?.map(({ clientConfig }) => clientConfig.service) ?? []
  return services.some((service) => service?.name === 'virt-api' && service.namespace === namespace)
}

/** Removes the aggregated APIs that this installation's virt-api answers: left behind they break API discovery. */
export async function removeApiServices({ client, namespace, log }: RegistrationOptions): Promise<void> {
  for (const api of (await client.list(apiServices)).items) {
    if (api.spec.group !== 'subresources.kubevirt.io' || api.spec.service?.namespace !== namespace) continue
    await remove(client, apiServices, api)
    log.info({ apiService: api.metadata.name }, 'API service removed')
  }
}
