import { label, pods } from '@kubevirt-ts/api'
import type {
  InstancetypeMatcher,
  ObjectGraphNode,
  PreferenceMatcher,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceSpec,
  Volume,
} from '@kubevirt-ts/api'
import { matchesSelector } from '@kubevirt-ts/controller/label-selector'
import { StatusError } from '../status-error.ts'
import type { Settings } from '../settings.ts'
import { decodeOptions } from './body.ts'
import type { Options } from './body.ts'
import type { RestParts, Target } from './parts.ts'
import { fetchVmi, fetchWithGuest } from './subjects.ts'

type GraphOptions = Options<'ObjectGraphOptions'>
type Dependency = 'compute' | 'storage' | 'network' | 'config'

const dependencyLabel = 'kubevirt.io/dependency-type'

/** What a VM is made of and needs, its running guest included. */
export async function vmGraph(parts: RestParts, target: Target, body: object): Promise<ObjectGraphNode> {
  needGate(parts.settings)
  const options = decodeOptions('ObjectGraphOptions', body)
  const { vm, vmi } = await fetchWithGuest(parts.client, target)
  const pod = vmi && (await launcherOf(parts, vmi))
  return selected(graphOfVm(vm, vmi, pod), options)
}

/** What a running guest is made of and needs. */
export async function vmiGraph(parts: RestParts, target: Target, body: object): Promise<ObjectGraphNode> {
  needGate(parts.settings)
  const options = decodeOptions('ObjectGraphOptions', body)
  const vmi = await fetchVmi(parts.client, target)
  return selected(graphOfVmi(vmi, await launcherOf(parts, vmi), true), options)
}

function needGate(settings: Settings): void {
  if (settings.isEnabled('ObjectGraph')) return
  throw new StatusError(400, 'ObjectGraph feature gate is not enabled: enable it in the KubeVirt resource')
}

async function launcherOf({ client }: RestParts, { metadata }: VirtualMachineInstance): Promise<string | undefined> {
  const { namespace, uid } = metadata
  const labelSelector = `${label.app}=virt-launcher,${label.createdBy}=${uid}`
  const { items } = await client.list(pods, { ...(namespace && { namespace }), labelSelector })
  return items.find(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')?.metadata.name
}

/** The graph below a VM. Its guest comes first; volumes and settings are named once, at the VM. */
export function graphOfVm(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  pod: string | undefined,
): ObjectGraphNode {
  const { namespace = '', name } = vm.metadata
  const spec = vm.spec.template?.spec
  return {
    objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', namespace, name },
    children: [
      ...(vmi ? [graphOfVmi(vmi, pod, false)] : []),
      ...matcherNodes(vm.spec.instancetype, 'Instancetype', namespace),
      ...matcherNodes(vm.spec.preference, 'Preference', namespace),
      ...revisionNodes(vm, namespace),
      ...(spec ? specNodes(spec, namespace) : []),
    ],
  }
}

/** The graph below a guest; `withSpec` also names its volumes and settings. */
export function graphOfVmi(vmi: VirtualMachineInstance, pod: string | undefined, withSpec: boolean): ObjectGraphNode {
  const { namespace = '', name } = vmi.metadata
  return {
    objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachineInstance', namespace, name },
    labels: { [dependencyLabel]: 'compute' },
    children: [
      ...(pod ? [node('compute', '', 'Pod', namespace, pod)] : []),
      ...(withSpec ? specNodes(vmi.spec, namespace) : []),
    ],
  }
}

const node = (
  dependency: Dependency,
  apiGroup: string,
  kind: string,
  namespace: string,
  name: string,
  optional = false,
): ObjectGraphNode => ({
  objectReference: { apiGroup, kind, namespace, name },
  labels: { [dependencyLabel]: dependency },
  ...(optional && { optional }),
})

function matcherNodes(
  matcher: InstancetypeMatcher | PreferenceMatcher | undefined,
  what: 'Instancetype' | 'Preference',
  namespace: string,
): ObjectGraphNode[] {
  if (!matcher?.name) return []
  const ofCluster = !matcher.kind || /cluster/i.test(matcher.kind)
  const kind = `VirtualMachine${ofCluster ? 'Cluster' : ''}${what}`
  return [node('config', 'instancetype.kubevirt.io', kind, ofCluster ? '' : namespace, matcher.name)]
}

function revisionNodes({ status }: VirtualMachine, namespace: string): ObjectGraphNode[] {
  return [status?.instancetypeRef, status?.preferenceRef].flatMap((each) => {
    const name = each?.controllerRevisionRef?.name
    return name ? [node('config', 'apps', 'ControllerRevision', namespace, name)] : []
  })
}

function specNodes(spec: VirtualMachineInstanceSpec, namespace: string): ObjectGraphNode[] {
  const networks = (spec.networks ?? []).flatMap(({ multus }) => (multus?.networkName ? [multus.networkName] : []))
  const secrets = (spec.accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }) => {
    const name = (sshPublicKey ?? userPassword)?.source?.secret?.secretName
    return name ? [name] : []
  })
  return [
    ...(spec.volumes ?? []).flatMap((volume) => volumeNodes(volume, namespace)),
    ...networks.map((name) => networkNode(name, namespace)),
    ...secrets.map((name) => node('config', '', 'Secret', namespace, name)),
  ]
}

function networkNode(networkName: string, namespace: string): ObjectGraphNode {
  const [first = '', second] = networkName.split('/')
  const [where, name] = second === undefined ? [namespace, first] : [first, second]
  return node('network', 'k8s.cni.cncf.io', 'NetworkAttachmentDefinition', where, name)
}

function volumeNodes(volume: Volume, namespace: string): ObjectGraphNode[] {
  const claim = volume.persistentVolumeClaim ?? volume.ephemeral?.persistentVolumeClaim ?? volume.memoryDump
  const init = volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive
  const { configMap, secret, serviceAccount, sysprep, dataVolume } = volume
  const found: (readonly [Dependency, string, string, string | undefined, boolean?])[] = [
    ['storage', 'cdi.kubevirt.io', 'DataVolume', dataVolume?.name],
    // A data volume's claim has its name.
    ['storage', '', 'PersistentVolumeClaim', dataVolume?.name ?? claim?.claimName],
    ['config', '', 'ConfigMap', configMap?.name ?? sysprep?.configMap?.name, configMap?.optional],
    ['config', '', 'Secret', secret?.secretName ?? sysprep?.secret?.name, secret?.optional],
    ['config', '', 'Secret', init?.secretRef?.name],
    ['config', '', 'Secret', init?.networkDataSecretRef?.name],
    ['config', '', 'ServiceAccount', serviceAccount?.serviceAccountName],
  ]
  return found.flatMap(([dependency, group, kind, name, optional]) =>
    name ? [node(dependency, group, kind, namespace, name, optional ?? false)] : [],
  )
}

/** The graph without optional nodes, if they are not wanted, and without nodes whose labels do not match. */
export function selected(root: ObjectGraphNode, options: GraphOptions): ObjectGraphNode {
  const children = (root.children ?? [])
    .map((child) => selected(child, options))
    .filter((child) => isWanted(child, options) || (child.children ?? []).length > 0)
  const { children: _, ...own } = root
  return children.length > 0 ? { ...own, children } : own
}

function isWanted({ optional, labels = {} }: ObjectGraphNode, { includeOptionalNodes, labelSelector }: GraphOptions) {
  return !(optional && includeOptionalNodes === false) && (!labelSelector || matchesSelector(labels, labelSelector))
}
