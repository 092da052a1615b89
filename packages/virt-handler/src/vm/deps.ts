import type { KubeVirtConfiguration, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { EventRecorder, Lister } from '@kubevirt-ts/controller'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Lanes, Logger } from '@kubevirt-ts/service'
import type { ImageMounts } from '../host/container-disk/images.ts'
import type { PluggedVolumes } from '../host/hotplug/plugged-volumes.ts'
import type { VirtChroot } from '../host/mounts/virt-chroot.ts'
import type { CardWish } from '../host/network/card.ts'
import type { Selinux } from '../host/selinux/selinux.ts'
import type { NetworkRecord, Phase1 } from '../host/network/phase1.ts'
import type { EarlyStarts } from './early-start/early-starts.ts'
import type { DomainCache } from '../launcher-clients/domain-cache.ts'
import type { LauncherClients } from '../launcher-clients/launcher-clients.ts'

/** Builds and remembers the pod networks of guests. */
export interface GuestNetworks {
  setUp(phase: Omit<Phase1, 'privateFolder'> & { readonly podUid: string }): Promise<NetworkRecord>
  tearDown(where: Pick<Phase1, 'uid' | 'pid'>, card: CardWish): Promise<void>
  read(uid: string): Promise<NetworkRecord | undefined>
  remove(uid: string): Promise<void>
}

/** What the controller of this node's guests works with. */
export interface VmDeps {
  readonly node: string
  readonly client: KubeClient
  /** The VMIs that are handed to this node. */
  readonly vmis: Lister<VirtualMachineInstance>
  readonly launchers: LauncherClients
  /** By UID: a guest that comes back is made room for while what it left is removed, one after the other. */
  readonly stays: Lanes
  readonly earlyStarts: Pick<EarlyStarts, 'begin' | 'get' | 'drop'>
  /** The kubelet's pods folder as this process sees it. */
  readonly podsFolder: string
  readonly domains: DomainCache
  readonly images: ImageMounts
  readonly plugs: PluggedVolumes
  readonly networks: GuestNetworks
  readonly virtChroot: Pick<VirtChroot, 'chownDevice' | 'chownFolder' | 'createImage'>
  readonly selinux: Pick<Selinux, 'contextOf'>
  readonly configuration: () => KubeVirtConfiguration
  readonly events: Pick<EventRecorder, 'event'>
  readonly log: Logger
  readonly now: () => number
}
