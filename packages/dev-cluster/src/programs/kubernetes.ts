import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cacheDir } from '../paths.ts'
import { buildGoPrograms, goProgram } from './go-build.ts'
import { downloadRelease, releasesReachable } from './release.ts'
import { etcdVersion, kubernetesVersion } from './versions.ts'

/** Every program of the control plane and of a node, as files of one folder. */
const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy']

/** What runs in pods of the cluster and is released as images only. */
const addOns = ['coredns', 'metrics-server'] as const

const releaseDir = (): string => join(cacheDir(), 'programs', `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}`)
const builtDir = async (): Promise<string> => dirname(await goProgram('kubernetes'))

/** The folder with all programs of Kubernetes if this machine has it already. */
export async function cachedKubernetes(): Promise<string | undefined> {
  const complete = (folder: string) => programs.every((name) => existsSync(join(folder, name)))
  return [releaseDir(), await builtDir()].find(complete)
}

/** Whether this machine has everything that `ensureKubernetes` gets. */
export async function isKubernetesCached(): Promise<boolean> {
  const built = await Promise.all(addOns.map(goProgram))
  return (await cachedKubernetes()) !== undefined && built.every(existsSync)
}

/**
 * Gets Kubernetes and the add-ons: from the cache, else as the official release, else built from source.
 * @returns where Kubernetes comes from
 * @throws Failure
 */
export async function ensureKubernetes(log: string, signal?: AbortSignal): Promise<'cache' | 'release' | 'source'> {
  const cached = (await cachedKubernetes()) !== undefined
  if (cached || (await downloaded())) {
    await buildGoPrograms(addOns, log, signal)
    return cached ? 'cache' : 'release'
  }
  await buildGoPrograms(['kubernetes', ...addOns], log, signal)
  await nameAll(await builtDir())
  return 'source'
}

// A download that is refused half-way is no reason to give up: the source may still be reachable.
async function downloaded(): Promise<boolean> {
  if (!(await releasesReachable(kubernetesVersion))) return false
  try {
    await downloadRelease(kubernetesVersion, etcdVersion, releaseDir())
    return true
  } catch {
    return false
  }
}

// One file holds all programs and goes by the name it is started under.
async function nameAll(folder: string): Promise<void> {
  for (const name of programs) if (!existsSync(join(folder, name))) await symlink('kubernetes', join(folder, name))
}
