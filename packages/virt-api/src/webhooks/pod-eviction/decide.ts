import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'

export type Eviction =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly message: string }
  /** The guest is to be moved away; the eviction itself is refused until it is gone. */
  | { readonly kind: 'mark'; readonly node: string }

const allow: Eviction = { kind: 'allow' }
const deny = (message: string): Eviction => ({ kind: 'deny', message })

/** What becomes of the eviction of a launcher pod whose guest is `vmi`; `strategy` is the cluster's own. */
export function decideEviction(pod: Pod, vmi: VirtualMachineInstance, strategy: string | undefined): Eviction {
  const { name } = vmi.metadata
  const migratable = vmi.status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'True')
  switch (vmi.spec.evictionStrategy ?? strategy) {
    case 'LiveMigrate':
      if (migratable) return mark(pod, vmi)
      return deny(`VMI ${name} is configured with an eviction strategy but is not live-migratable`)
    case 'LiveMigrateIfPossible':
      return migratable ? mark(pod, vmi) : allow
    case 'External':
      return mark(pod, vmi)
    default:
      return allow
  }
}

function mark(pod: Pod, vmi: VirtualMachineInstance): Eviction {
  const { namespace, name } = vmi.metadata
  if (vmi.status?.evacuationNodeName) {
    return deny(`Evacuation in progress: Eviction triggered evacuation of VMI "${namespace}/${name}"`)
  }
  const node = pod.spec?.nodeName ?? ''
  return vmi.status?.nodeName === node ? { kind: 'mark', node } : deny('Eviction request for target Pod')
}
