import type { Pod } from '@kubevirt-ts/api'
import { claimNameOf, volumesOf } from '../pod/pod.ts'
import { prepared, refused, skipped, type FilterRule } from '../rule.ts'
import type { NodeInfo } from '../snapshot/node-info.ts'
import { classOf, type Volumes } from '../snapshot/volumes.ts'
import { success, unresolvable, unschedulable } from '../verdict.ts'

const refusal = unschedulable('node(s) exceed max volume count')

interface State {
  readonly volumes: Volumes
  /** Drivers of the pod's volumes by unique name. */
  readonly wanted: ReadonlyMap<string, string>
}

/** Keeps pods from nodes whose CSI drivers cannot attach as many volumes. */
export const nodeVolumeLimits: FilterRule<State> = {
  name: 'NodeVolumeLimits',
  prepare: ({ pod }, { volumes }) => {
    if (!volumesOf(pod).some((volume) => claimNameOf(pod, volume) !== undefined)) return skipped
    const namespace = pod.metadata.namespace ?? ''
    const names = volumesOf(pod).flatMap((volume) => claimNameOf(pod, volume) ?? [])
    const missing = names.find((name) => volumes.claim(namespace, name) === undefined)
    if (missing === undefined) return prepared({ volumes, wanted: driversByVolume(pod, volumes) })
    return refused(unresolvable(`looking up PVC ${namespace}/${missing}: persistentvolumeclaim "${missing}" not found`))
  },
  filter: ({ volumes, wanted }, node) => {
    const limits = limitsOf(node, volumes)
    if (wanted.size === 0 || limits.size === 0) return success
    const attached = attachedTo(node, volumes)
    const added = countDrivers([...wanted].filter(([volume]) => !attached.ofPods.has(volume)).map(([, name]) => name))
    for (const [driver, count] of added) {
      const limit = limits.get(driver)
      if (limit !== undefined && (attached.counts.get(driver) ?? 0) + count > limit) return refusal
    }
    return success
  },
}

function limitsOf({ name }: NodeInfo, volumes: Volumes): Map<string, number> {
  const limits = new Map<string, number>()
  for (const driver of volumes.csiNode(name)?.spec?.drivers ?? []) {
    const count = driver.allocatable?.count
    if (count !== undefined) limits.set(driver.name, count)
  }
  return limits
}

/** Volumes of the node's pods, and those still attached though no pod uses them. */
function attachedTo(
  { name, pods }: NodeInfo,
  volumes: Volumes,
): { readonly ofPods: ReadonlyMap<string, string>; readonly counts: ReadonlyMap<string, number> } {
  const ofPods = new Map<string, string>()
  for (const { pod } of pods) for (const [volume, driver] of driversByVolume(pod, volumes)) ofPods.set(volume, driver)
  const left: string[] = []
  for (const { spec } of volumes.attachmentsOf(name)) {
    const handle = volumes.volume(spec?.source?.persistentVolumeName ?? '')?.spec?.csi?.volumeHandle
    const attacher = spec?.attacher ?? ''
    if (attacher !== '' && handle !== undefined && !ofPods.has(`${attacher}/${handle}`)) left.push(attacher)
  }
  return { ofPods, counts: countDrivers([...ofPods.values(), ...left]) }
}

function countDrivers(drivers: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const driver of drivers) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  return counts
}

function driversByVolume(pod: Pod, volumes: Volumes): Map<string, string> {
  const found = new Map<string, string>()
  for (const volume of volumesOf(pod)) {
    const name = claimNameOf(pod, volume)
    if (name === undefined) continue
    const csi = csiOf(pod.metadata.namespace ?? '', name, volumes)
    if (csi !== undefined) found.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver)
  }
  return found
}

/** A claim without a volume will get one of its class's provisioner. */
function csiOf(
  namespace: string,
  name: string,
  volumes: Volumes,
): { readonly driver: string; readonly volumeHandle: string } | undefined {
  const claim = volumes.claim(namespace, name)
  if (claim === undefined) return undefined
  const volume = volumes.volume(claim.spec?.volumeName ?? '')
  if (volume !== undefined) return volume.spec?.csi
  const driver = volumes.storageClass(classOf(claim))?.provisioner
  return driver ? { driver, volumeHandle: `to-be-made ${namespace}/${name}` } : undefined
}
