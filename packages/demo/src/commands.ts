import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultCluster, stateDir, toolPath } from '@kubevirt-ts/dev-cluster'
import type { Target } from './target.ts'
import { vmName } from './vm.ts'

const virtctl = fileURLToPath(new URL('../../virtctl/bin/virtctl', import.meta.url))

/** Where they lie: with the demo's own cluster, or apart from it for one that was given. */
export const commandsFolder = (own: boolean): string => join(stateDir(own ? defaultCluster : 'given'), 'bin')

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A program that is `program`, with a kubeconfig where the user has set none. */
export const commandScript = (kubeconfig: string, program: string): string =>
  `#!/bin/sh\n[ -n "$KUBECONFIG" ] || KUBECONFIG=${quote(kubeconfig)}\nexport KUBECONFIG\nexec ${quote(program)} "$@"\n`

/**
 * Writes small programs that reach the cluster from any shell, and returns their folder.
 * KUBECONFIG wins where the user set it.
 */
export async function writeCommands(target: Target): Promise<string> {
  const folder = commandsFolder(target.own)
  await mkdir(folder, { recursive: true })
  const programs = { kubectl: toolPath('kubectl'), helm: toolPath('helm'), virtctl }
  for (const [name, program] of Object.entries(programs)) {
    await writeFile(join(folder, name), commandScript(target.kubeconfig, program))
    await chmod(join(folder, name), 0o755)
  }
  return folder
}

/** Five commands that a newcomer may type next; each works as printed in a fresh shell. */
export const nextCommands = (folder: string): readonly (readonly [command: string, why: string])[] => [
  [`${folder}/virtctl console ${vmName}`, 'log in as root, password kubevirt; leave with Ctrl+]'],
  [`${folder}/kubectl get vm,vmi,pods`, 'the VM, its running instance, and the pod that holds it'],
  [`${folder}/virtctl stop ${vmName}`, 'shut the guest down'],
  [`${folder}/virtctl start ${vmName}`, 'and start it again'],
  [`${folder}/kubectl explain vm.spec.template.spec.domain`, 'what else a VM can be given'],
]
