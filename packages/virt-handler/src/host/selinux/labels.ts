import { fileLabel, O_PATH, openBeneath, setFileLabel, SystemCallError } from '@kubevirt-ts/linux'
import { type Logger, VirtError } from '@kubevirt-ts/service'
import { closeSync } from 'node:fs'
import { sharedFileLabel } from './contexts.ts'
import type { Selinux } from './selinux.ts'

/** Files by their paths below a folder that this process trusts. */
export interface HostFiles {
  readonly root: string
  readonly paths: readonly string[]
}

/**
 * Lets every container use these files of the host, where SELinux would not: a label made for one container shuts the
 * others out, and what a device plugin mounts is not relabelled by the kubelet. What is not there is left out.
 */
export function shareWithContainers({ mode }: Selinux, { root, paths }: HostFiles, log: Pick<Logger, 'warn'>): void {
  if (mode === 'absent') return
  for (const path of paths) {
    try {
      label(root, path)
    } catch (error) {
      if (error instanceof SystemCallError && error.code === 'ENOENT') continue
      const reason = `${path} cannot be labelled for containers: ${(error as Error).message}`
      if (mode === 'enforcing') throw new VirtError('LabelRefused', reason, { cause: error })
      log.warn({ error }, reason)
    }
  }
}

function label(root: string, path: string): void {
  const file = openBeneath(root, path, O_PATH)
  try {
    if (fileLabel(file) !== sharedFileLabel) setFileLabel(file, sharedFileLabel)
  } finally {
    closeSync(file)
  }
}

/** What is put into a folder of a pod gets the label of that folder, which the runtime gave it for its pod alone. */
export function labelLike(folder: number, file: number): void {
  const wanted = fileLabel(folder)
  if (wanted !== undefined && fileLabel(file) !== wanted) setFileLabel(file, wanted)
}
