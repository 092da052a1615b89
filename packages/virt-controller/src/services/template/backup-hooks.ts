import { annotation } from '@kubevirt-ts/api'
import type { KubeVirt, VirtualMachineInstance } from '@kubevirt-ts/api'

const prefixes = ['pre.hook.backup.velero.io/', 'post.hook.backup.velero.io/']

/** Annotations of a pod by which Velero finds what to run before and after a backup. */
export const isBackupHook = (key: string): boolean => prefixes.some((prefix) => key.startsWith(prefix))

/** Those that a pod has from us; others may be somebody else's. */
export const ownBackupHooks: ReadonlySet<string> = new Set([
  'pre.hook.backup.velero.io/container',
  'pre.hook.backup.velero.io/command',
  'pre.hook.backup.velero.io/timeout',
  'post.hook.backup.velero.io/container',
  'post.hook.backup.velero.io/command',
])

/** Whether the cluster's guests are to be backed up without being frozen. */
export const skipsBackupHooks = (kubeVirt: KubeVirt | undefined): boolean =>
  kubeVirt?.metadata.annotations?.[annotation.skipBackupHooks] === 'true'

/**
 * Hooks of a guest's pod: commands that freeze its file systems for a consistent backup, unless it or its cluster asks for
 * none. Whoever gives hooks of their own is not given ours in their place.
 */
export function backupHooks({ metadata }: VirtualMachineInstance, isSkipped = false): Record<string, string> {
  const annotations = metadata.annotations ?? {}
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => isBackupHook(key)))
  if (isSkipped || annotations[annotation.skipBackupHooks] === 'true') return own
  return { ...freezeHooks(metadata.namespace ?? 'default', metadata.name), ...own }
}

function freezeHooks(namespace: string, name: string): Record<string, string> {
  // Written as Python prints a list, since the annotation is compared as text.
  const command = (verb: string): string =>
    `["/usr/bin/virt-freezer", "--${verb}", "--name", "${name}", "--namespace", "${namespace}"]`
  return {
    'pre.hook.backup.velero.io/container': 'compute',
    'pre.hook.backup.velero.io/command': command('freeze'),
    'pre.hook.backup.velero.io/timeout': '60s',
    'post.hook.backup.velero.io/container': 'compute',
    'post.hook.backup.velero.io/command': command('unfreeze'),
  }
}
