/** A volume of the node's own disk with the claim that it is for: the test cluster has no provisioner. */
export function claimOnNode({ name, namespace, size }: { name: string; namespace: string; size: string }) {
  const accessModes = ['ReadWriteOnce']
  const storageClassName = 'e2e-by-hand'
  const volume = `${namespace}-${name}`
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume },
        spec: {
          capacity: { storage: size },
          accessModes,
          storageClassName,
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path: `/var/lib/kubevirt-ts-e2e/${volume}`, type: 'DirectoryOrCreate' },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace },
        spec: { accessModes, storageClassName, volumeName: volume, resources: { requests: { storage: size } } },
      },
    ],
  }
}
