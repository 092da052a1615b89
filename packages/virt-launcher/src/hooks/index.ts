import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeJson, hookPoint } from '@kubevirt-ts/handler-launcher-com'
import { type Logger, VirtError } from '@kubevirt-ts/service'
import type { CloudInitContent } from '../virtwrap/storage/cloud-init/content.ts'
import { decodeCloudInit, encodeCloudInit } from './cloud-init.ts'
import type { Hook } from './collect.ts'

/** The points at which sidecars may change a guest. Without sidecars everything stays as it is. */
export type Hooks = {
  /** The domain's XML as the sidecars want it. */
  onDefineDomain(xml: string, vmi: VirtualMachineInstance): Promise<string>
  /** The content of a cloud-init disk as the sidecars want it. */
  preCloudInitIso(data: CloudInitContent, vmi: VirtualMachineInstance): Promise<CloudInitContent>
  /** The guest is over. */
  shutdown(): Promise<void>
}

/** @param collected the pod's sidecars, once they are all there */
export function hooksOf(collected: Promise<readonly Hook[]>, log: Logger): Hooks {
  const subscribed = async (point: string): Promise<readonly Hook[]> => inOrder(await collected, point)
  return {
    async onDefineDomain(xml, vmi) {
      let domain = xml
      for (const hook of await subscribed(hookPoint.onDefineDomain)) {
        const params = { domainXML: Buffer.from(domain), vmi: encodeJson(vmi) }
        const { domainXML } = await hook.callbacks.onDefineDomain(params).catch(failed(hook))
        if (domainXML.length === 0) throw new VirtError('HookFailed', `hook sidecar ${hook.name} returned no domain`)
        domain = domainXML.toString()
        log.info({ hook: hook.name }, 'a sidecar has seen the domain')
      }
      return domain
    },
    async preCloudInitIso(data, vmi) {
      let content = data
      for (const hook of await subscribed(hookPoint.preCloudInitIso)) {
        const params = { ...encodeCloudInit(content), vmi: encodeJson(vmi) }
        const result = await hook.callbacks.preCloudInitIso(params).catch(failed(hook))
        content = decodeCloudInit(result, content)
        log.info({ hook: hook.name }, 'a sidecar has seen the cloud-init data')
      }
      return content
    },
    async shutdown() {
      const hooks = await collected.catch(() => [])
      for (const hook of inOrder(hooks, hookPoint.shutdown))
        await hook.callbacks
          .shutdown({})
          .catch((error: unknown) => log.warn({ error, hook: hook.name }, 'a sidecar did not take the end'))
      for (const { callbacks } of hooks) callbacks.close()
    },
  }
}

/** Higher priority first, then by name. */
function inOrder(hooks: readonly Hook[], point: string): Hook[] {
  const priority = ({ points }: Hook): number => points.get(point) ?? 0
  return hooks
    .filter(({ points }) => points.has(point))
    .sort((a, b) => priority(b) - priority(a) || a.name.localeCompare(b.name))
}

function failed({ name }: Hook) {
  return (cause: Error): never => {
    throw new VirtError('HookFailed', `hook sidecar ${name} failed: ${cause.message}`, { cause })
  }
}
