import type {
  Node,
  Pod,
  PodAffinityTerm,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { annotation, label, labelPrefix } from '@kubevirt-ts/api'

/** What a target pod is made of. */
export interface MigrationTarget {
  /** The launcher pod as the VMI says. */
  readonly rendered: Pod
  readonly migration: VirtualMachineInstanceMigration
  readonly vmi: VirtualMachineInstance
  /** The pod in which the guest runs now. */
  readonly source: Pod
  readonly sourceNode: Node | undefined
  /** Whether the target must have the SELinux level of the source. */
  readonly matchSelinuxLevel: boolean
}

/** The launcher pod that takes a guest over: the same images, on another node whose processor can go on with it. */
export function migrationTarget(target: MigrationTarget): Pod {
  const { rendered, migration, vmi, source } = target
  const { metadata, spec } = rendered
  const name = migration.metadata.name
  return {
    ...rendered,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [label.migrationJobUid]: migration.metadata.uid ?? '' },
      annotations: { ...metadata.annotations, [annotation.migrationJobName]: name },
    },
    spec: {
      ...spec,
      ...securityOf(target),
      containers: spec.containers.map((container) => withDigest(container, source)),
      ...(spec.initContainers === undefined
        ? {}
        : { initContainers: spec.initContainers.map((container) => withDigest(container, source)) }),
      affinity: { ...spec.affinity, podAntiAffinity: apartFromSource(spec.affinity?.podAntiAffinity, vmi) },
      nodeSelector: { ...migration.spec.addedNodeSelector, ...spec.nodeSelector, ...processorOf(target) },
    },
  }
}

type Container = Pod['spec']['containers'][number]

/** A tag may have moved since the guest started: the target gets the very image whose disk the guest uses. */
function withDigest(container: Container, { status }: Pod): Container {
  if (!container.name.startsWith('volume')) return container
  const diskName = container.name.replace(/-init$/, '')
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  const digest = /sha256:[0-9a-f]{64}$/.exec(statuses.find(({ name }) => name === diskName)?.imageID ?? '')?.[0]
  if (digest === undefined || container.image === undefined) return container
  return { ...container, image: `${withoutTag(container.image)}@${digest}` }
}

function withoutTag(image: string): string {
  const [repository = image] = image.split('@')
  const lastPart = repository.lastIndexOf('/') + 1
  const tag = repository.indexOf(':', lastPart)
  return tag < 0 ? repository : repository.slice(0, tag)
}

type AntiAffinity = NonNullable<NonNullable<Pod['spec']['affinity']>['podAntiAffinity']>

function apartFromSource(affinity: AntiAffinity | undefined, { metadata }: VirtualMachineInstance): AntiAffinity {
  const term: PodAffinityTerm = {
    labelSelector: { matchLabels: { [label.createdBy]: metadata.uid ?? '' } },
    topologyKey: 'kubernetes.io/hostname',
  }
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return { ...affinity, requiredDuringSchedulingIgnoredDuringExecution: [...required, term] }
}

/**
 * Labels of nodes whose processor has what the guest got from its first node. A guest that was moved before keeps the
 * demands of its first move, since its present node may offer more than it uses.
 */
function processorOf({ vmi, source, sourceNode }: MigrationTarget): Record<string, string> {
  const labels = Object.entries(sourceNode?.metadata.labels ?? {})
  const named = (prefix: string): string[] =>
    labels.flatMap(([key]) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
  const vendors = named(labelPrefix.cpuVendor).map((vendor) => `${labelPrefix.cpuVendor}${vendor}`)
  const model = vmi.spec.domain.cpu?.model
  const isHostModel = !model || model === 'host-model'
  const demands = isHostModel
    ? (earlierDemands(source) ?? [
        ...named(labelPrefix.hostModelCpu).map((name) => `${labelPrefix.cpuModelMigration}${name}`),
        ...named(labelPrefix.hostModelRequiredFeatures).map((name) => `${labelPrefix.cpuFeature}${name}`),
      ])
    : []
  return Object.fromEntries([...vendors, ...demands].map((key) => [key, 'true']))
}

function earlierDemands({ metadata, spec }: Pod): string[] | undefined {
  if (metadata.labels?.[label.migrationJobUid] === undefined) return undefined
  const prefixes = [labelPrefix.cpuModelMigration, labelPrefix.cpuFeature]
  return Object.keys(spec.nodeSelector ?? {}).filter((key) => prefixes.some((prefix) => key.startsWith(prefix)))
}

/** Files on shared volumes carry the level of the source. */
function securityOf({ rendered, vmi, matchSelinuxLevel }: MigrationTarget): Pick<Pod['spec'], 'securityContext'> {
  const { securityContext } = rendered.spec
  const parts = vmi.status?.selinuxContext?.split(':') ?? []
  const level = parts.slice(3).join(':')
  if (!matchSelinuxLevel || level === '') return securityContext === undefined ? {} : { securityContext }
  return { securityContext: { ...securityContext, seLinuxOptions: { ...securityContext?.seLinuxOptions, level } } }
}
