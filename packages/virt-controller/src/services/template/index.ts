import { virtualMachineInstances } from '@kubevirt-ts/api'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { ownerReferenceTo } from '@kubevirt-ts/controller/owner'
import { accessCredentials } from './access-credentials.ts'
import { affinity } from './affinity.ts'
import { compute } from './compute.ts'
import { containerDisks } from './container-disks.ts'
import { directories } from './directories.ts'
import { emptyDraft } from './draft.ts'
import type { Draft } from './draft.ts'
import { filesystems } from './filesystems.ts'
import { guestConsoleLog } from './guest-console-log.ts'
import { launchOf } from './launch.ts'
import type { Launch, TemplateContext } from './launch.ts'
import { metadata } from './metadata.ts'
import { network } from './network.ts'
import { nodeSelector } from './node-selector.ts'
import { probes } from './probes.ts'
import { resources } from './resources.ts'
import { scheduling } from './scheduling.ts'
import { security } from './security.ts'
import { sidecars } from './sidecars.ts'
import { stateVolume } from './state-volume.ts'
import { volumes } from './volumes.ts'

export { backupHooks, isBackupHook, ownBackupHooks, skipsBackupHooks } from './backup-hooks.ts'
export type { LauncherSettings, TemplateContext } from './launch.ts'
export { keepsState, stateClaimOf } from './state-volume.ts'
export { temporaryPod } from './temporary-pod.ts'

type Renderer = (draft: Draft, launch: Launch) => void

/** A concern each. The order of containers in the pod is the order in which their renderers stand here. */
const renderers: readonly Renderer[] = [
  metadata,
  compute,
  directories,
  guestConsoleLog,
  containerDisks,
  volumes,
  accessCredentials,
  stateVolume,
  filesystems,
  sidecars,
  network,
  resources,
  probes,
  scheduling,
  nodeSelector,
  affinity,
  security,
]

/**
 * The launcher pod of a VMI. Pure: the VMI and the context stay as they are, equal input gives an equal pod.
 * It goes into the VMI's namespace, which is not written on it. Throws a VirtError whose reason and message fit the VMI's condition where the VMI cannot be rendered.
 */
export function renderLaunchPod(vmi: VirtualMachineInstance, context: TemplateContext): Pod {
  const launch = launchOf(structuredClone(vmi), context)
  const draft = emptyDraft()
  for (const render of renderers) render(draft, launch)
  return toPod(draft, vmi)
}

function toPod(draft: Draft, vmi: VirtualMachineInstance): Pod {
  const { labels, annotations, compute, containers, initContainers, volumes, pullSecrets, spec } = draft
  return {
    metadata: {
      generateName: `virt-launcher-${vmi.metadata.name}-`,
      labels,
      annotations,
      ownerReferences: [ownerReferenceTo(vmi, virtualMachineInstances)],
    } as Pod['metadata'],
    spec: {
      ...spec,
      ...(pullSecrets.size === 0 ? {} : { imagePullSecrets: [...pullSecrets].map((name) => ({ name })) }),
      containers: [withoutEmptyLists(compute), ...containers],
      ...(initContainers.length === 0 ? {} : { initContainers }),
      volumes,
    },
  }
}

function withoutEmptyLists<T extends object>(object: T): T {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as T
}
