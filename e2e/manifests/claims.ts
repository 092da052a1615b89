import { tools } from '../framework/tools.ts'

/** A volume of the node's own disk with the claim that it is for: the test cluster has no provisioner. */
export const claimOnNode = ({ name, namespace, size }: Claimed) =>
  volumeWithClaim(
    { name, namespace, size },
    {},
    {
      hostPath: { path: `/var/lib/kubevirt-ts-e2e/${namespace}-${name}`, type: 'DirectoryOrCreate' },
    },
  )

/** A volume that all nodes of the local cluster have, since they share the machine's disk, with the claim that it is for. */
export const claimOnAllNodes = ({ name, namespace, size }: Claimed) =>
  volumeWithClaim(
    { name, namespace, size },
    { accessModes: ['ReadWriteMany'] },
    { hostPath: { path: folderOnAllNodes({ name, namespace }), type: 'DirectoryOrCreate' } },
  )

/** Where such a volume is, on every node. */
export const folderOnAllNodes = ({ name, namespace }: Omit<Claimed, 'size'>): string =>
  `/tmp/kubevirt-ts-e2e/${tools().cluster}-${namespace}-${name}`

/** A block device of a node, with the claim that it is for. */
export function blockClaimOnNode({ node, device, ...claimed }: OnDevice) {
  const isNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
  return volumeWithClaim(
    claimed,
    { volumeMode: 'Block' },
    {
      local: { path: device },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isNode] }] } },
    },
  )
}

/** @param both what volume and claim have in common @param source where the volume is */
function volumeWithClaim({ name, namespace, size }: Claimed, both: object, source: object) {
  const common = { accessModes: ['ReadWriteOnce'], storageClassName: 'e2e-by-hand', ...both }
  const volume = `${namespace}-${name}`
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume },
        spec: { ...common, capacity: { storage: size }, persistentVolumeReclaimPolicy: 'Retain', ...source },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace },
        spec: { ...common, volumeName: volume, resources: { requests: { storage: size } } },
      },
    ],
  }
}

type Claimed = { readonly name: string; readonly namespace: string; readonly size: string }
type OnDevice = Claimed & { readonly node: string; readonly device: string }

/** Claims that are bound when their first pod has a node, and as many volumes of the nodes' own disks as are named. */
export function claimsByPlace({ names, namespace, size, nodes }: ByPlace) {
  const accessModes = ['ReadWriteOnce']
  const storageClassName = namespace
  const volume = (node: string, index: number) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${namespace}-${index}`, labels: { of: namespace } },
    spec: {
      capacity: { storage: size },
      accessModes,
      storageClassName,
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/var/lib/kubevirt-ts-e2e/${namespace}-${index}`, type: 'DirectoryOrCreate' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  })
  const claim = (name: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes, storageClassName, resources: { requests: { storage: size } } },
  })
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: storageClassName },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  }
  return { apiVersion: 'v1', kind: 'List', items: [storageClass, ...nodes.map(volume), ...names.map(claim)] }
}

type ByPlace = {
  readonly names: readonly string[]
  readonly namespace: string
  readonly size: string
  /** The node of each volume. */
  readonly nodes: readonly string[]
}
