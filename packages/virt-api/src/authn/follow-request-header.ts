import { configMaps } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'
import { authenticationConfigMap, requestHeaderConfig } from './request-header.ts'
import type { RequestHeaderConfig } from './request-header.ts'

export interface FollowedRequestHeader {
  current(this: void): RequestHeaderConfig | undefined
  onChange(this: void, listener: () => void): void
}

/**
 * Follows the ConfigMap that says which proxy to believe. Throws when it names no authority: nobody could be served.
 * A change that takes the authority away is not believed; the last good one stays.
 */
export async function followRequestHeader(
  client: KubeClient,
  log: Logger,
  signal: AbortSignal,
): Promise<FollowedRequestHeader> {
  const { namespace, name } = authenticationConfigMap
  const informer = new Informer({
    client,
    resource: configMaps,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    log,
  })
  informer.start(signal)
  await informer.synced
  const read = () => requestHeaderConfig(informer.get(`${namespace}/${name}`))
  let config = read()
  if (!config) {
    throw new VirtError(
      'NoRequestHeaderCA',
      `ConfigMap ${namespace}/${name} has no requestheader-client-ca-file: start the API server with --requestheader-client-ca-file`,
    )
  }
  return {
    current: () => config,
    onChange: (listener) => {
      const changed = () => {
        config = read() ?? config
        listener()
      }
      informer.on({ added: changed, updated: changed })
    },
  }
}
