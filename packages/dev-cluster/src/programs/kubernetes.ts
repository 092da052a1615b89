import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cacheDir } from '../paths.ts'
import { buildGoProgram, goProgramDir } from './go-build.ts'
import type { GoProgram } from './go-build.ts'
import { downloadRelease, releasesReachable } from './release.ts'

export const kubernetesVersion = 'v1.34.4'
const etcdVersion = 'v3.6.4'

/** Every program of the control plane and of a node, as files of one folder. */
const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy']

const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? []
const versionPackage = 'k8s.io/component-base/version'

const build: GoProgram = {
  name: 'kubernetes',
  tags: 'providerless',
  variables: {
    [`${versionPackage}.gitVersion`]: kubernetesVersion,
    [`${versionPackage}.gitMajor`]: major,
    [`${versionPackage}.gitMinor`]: minor,
  },
}

const releaseDir = (): string => join(cacheDir(), 'programs', `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}`)

/** A folder with Kubernetes' programs, and where they came from. */
export type Kubernetes = { readonly folder: string; readonly origin: 'cache' | 'release' | 'source' }

/** The folder with all programs if this machine has it already. */
export async function cachedKubernetes(): Promise<string | undefined> {
  const complete = (folder: string) => programs.every((name) => existsSync(join(folder, name)))
  return [releaseDir(), await goProgramDir(build)].find(complete)
}

/**
 * Gets Kubernetes: from the cache, else as the official release, else built from source.
 * @throws Failure
 */
export async function ensureKubernetes(log: string): Promise<Kubernetes> {
  const cached = await cachedKubernetes()
  if (cached) return { folder: cached, origin: 'cache' }
  if (await downloaded()) return { folder: releaseDir(), origin: 'release' }
  return { folder: await built(log), origin: 'source' }
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

async function built(log: string): Promise<string> {
  const file = await buildGoProgram(build, log)
  const folder = dirname(file)
  // One file holds all programs and goes by the name it is started under.
  for (const name of programs) if (!existsSync(join(folder, name))) await symlink('kubernetes', join(folder, name))
  return folder
}
