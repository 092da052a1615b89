import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { ImageNotReady } from '../host/container-disk/images.ts'
import type { CardWish } from '../host/network/card.ts'
import { type PlugGuest, VolumeNotReady } from '../host/hotplug/plugged-volumes.ts'
import { chownGuestDevices } from '../host/devices.ts'
import { allowLockedMemory } from '../host/memory-lock.ts'
import { succeeded } from '../launcher-clients/answer.ts'
import type { Guest } from '../launcher-clients/guest.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import type { VmDeps } from './deps.ts'
import { blockDevices, diskImages } from './disk-images.ts'
import { dumpMemory, dumpUnderWay } from './memory-dump.ts'
import { plugPlan, type PlugPlan } from './plug.ts'
import { imageFiles } from './images.ts'
import { lockedMemory } from './locked-memory.ts'
import { launcherOptions } from './launcher-options.ts'
import { absentCards, cardWishes } from './network.ts'
import { isMadeFor } from './early-start/outcome.ts'
import { podUidOn } from './pod-on-node.ts'
import type { Progress } from './progress.ts'
import { foldersNotServed } from './shared-folders.ts'
import { stateFolders } from './state-folders.ts'

/** The user QEMU runs as, unless the VMI says root. */
const guestUser = 107

/** The guest's launcher or a container of its pod is not up yet. */
export class NotReadyYet extends Error {
  override readonly name = 'NotReadyYet'
}

/**
 * Brings the guest to what its VMI says; for a VMI that was just handed over this starts it.
 * Throws `NotReadyYet` while parts of its pod are missing, `CriticalNetworkError` when only a new pod can help.
 */
export async function update(
  vmi: VirtualMachineInstance,
  guest: Guest,
  progress: Progress,
  deps: VmDeps,
): Promise<void> {
  const cards = cardWishes(vmi, deps.configuration())
  const wanted = desiredState(vmi, cards)
  const plan = plugPlan(vmi, deps.domains.get(guest.uid), await deps.plugs.names(guest.uid), deps.configuration())
  const dump = dumpUnderWay(vmi)
  const plugs = plan.plug.length + plan.unplug.length > 0
  if (progress.synced === wanted && !plugs && dump === undefined) return
  const launcher = await launcherOf(vmi, guest, deps)
  const isStarting = vmi.status?.phase === 'Scheduled'
  if (isStarting && !isMadeFor(vmi, progress)) await prepare(vmi, launcher, cards, deps)
  if (!isStarting)
    await deps.networks.setUp({ uid: guest.uid, podUid: launcher.podUid, pid: launcher.process.pid, cards })
  const plugged = await plugIn(plan, launcher, deps)
  if (progress.synced !== wanted || plan.plug.length > 0) await synchronize(vmi, guest, launcher, progress, deps)
  progress.synced = wanted
  for (const name of plan.unplug) await deps.plugs.unplug(plugGuest(launcher), name)
  if (dump !== undefined) progress.dump = await dumpMemory(vmi, dump, launcher)
  // Last, so that one volume that cannot be plugged in keeps nothing else back.
  for (const failure of plugged) {
    delete progress.synced
    throw failure instanceof VolumeNotReady ? new NotReadyYet(failure.message) : failure
  }
}

async function synchronize(
  vmi: VirtualMachineInstance,
  guest: Guest,
  launcher: Launcher,
  progress: Progress,
  deps: VmDeps,
): Promise<void> {
  await sync(vmi, launcher, deps)
  if (progress.synced === undefined && vmi.status?.phase === 'Scheduled')
    deps.events.event(vmi, 'Normal', 'Created', 'VirtualMachineInstance defined.')
  for (const card of absentCards(vmi, deps.configuration()))
    await deps.networks.tearDown({ uid: guest.uid, pid: launcher.process.pid }, card)
  await deps.launchers.refresh(guest.uid)
}

export async function sync(
  vmi: VirtualMachineInstance,
  { cmd }: Launcher,
  { configuration }: Pick<VmDeps, 'configuration'>,
): Promise<void> {
  const options = launcherOptions(configuration(), vmi.spec)
  succeeded(await cmd.syncVirtualMachine({ vmi: encodeVmi(vmi), options }))
}

/** All that the launcher acts on: of the status only how large claims are, and new links of the pod. */
const desiredState = ({ metadata, spec, status }: VirtualMachineInstance, cards: readonly CardWish[]): string => {
  const capacities = status?.volumeStatus?.map((each) => [each.name, each.persistentVolumeClaimInfo?.capacity])
  return JSON.stringify([spec, metadata.labels, metadata.annotations, capacities, cards.map(({ name }) => name)])
}

const plugGuest = ({ guest, podUid, process }: Launcher): PlugGuest => ({ uid: guest.uid, podUid, pid: process.pid })

/** Brings plugged volumes into the launcher's pod; answers why some are not there. */
async function plugIn({ plug }: PlugPlan, launcher: Launcher, { plugs }: VmDeps): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const volume of plug)
    await plugs.plug(plugGuest(launcher), volume).catch((error: unknown) => failures.push(error))
  return failures
}

export async function launcherOf(
  vmi: VirtualMachineInstance,
  guest: Guest,
  { node, launchers, podsFolder, earlyStarts }: VmDeps,
): Promise<Launcher> {
  const podUid = earlyStarts.get(guest.uid)?.podUid ?? podUidOn(node, vmi, launchers, podsFolder)
  if (podUid === undefined) throw new NotReadyYet('no pod of the VMI is known on this node yet')
  const launcher = await launchers.connect(guest, podUid)
  if (launcher === undefined) throw new NotReadyYet('the launcher is not ready yet')
  return launcher
}

async function makeImages(vmi: VirtualMachineInstance, pid: number, deps: VmDeps): Promise<void> {
  for (const { path, size } of diskImages(vmi, deps.configuration()))
    await deps.virtChroot.createImage(pid, path, size, guestUser)
}

/** Everything around the guest that its pod may not do by itself. */
export async function prepare(
  vmi: VirtualMachineInstance,
  { guest, podUid, process }: Launcher,
  cards: readonly CardWish[],
  deps: VmDeps,
): Promise<void> {
  const { images, networks, virtChroot } = deps
  const [folder] = foldersNotServed(vmi, deps.podsFolder, podUid)
  if (folder !== undefined) throw new NotReadyYet(`the pod does not serve the shared folder ${folder} yet`)
  const locked = lockedMemory(vmi, deps.configuration())
  // libvirt's daemon hands its limit on to QEMU; it may not raise one in a pod.
  if (locked !== undefined) allowLockedMemory(process.pid, locked)
  const works = [
    images.mount({ uid: guest.uid, podUid }, imageFiles(vmi.spec)),
    networks.setUp({ uid: guest.uid, podUid, pid: process.pid, cards }),
    chownGuestDevices(virtChroot, process.pid, guestUser, blockDevices(vmi)),
    makeImages(vmi, process.pid, deps),
    ...stateFolders(vmi).map((folder) => virtChroot.chownFolder(process.pid, folder, guestUser)),
  ]
  // All of them come to an end before a failure is reported, so that no half of a step goes on in the background.
  const failures = (await Promise.allSettled(works)).filter((each) => each.status === 'rejected')
  for (const { reason } of failures) throw reason instanceof ImageNotReady ? new NotReadyYet(reason.message) : reason
}
