import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { Failure } from './failure.ts'
import { installing, withLock } from './lock.ts'
import { command, tryCommand } from './process/command.ts'

/** A file that a local cluster needs, and the Debian package that brings it. */
type Requirement = { readonly file: string; readonly package: string }

const requirements: readonly Requirement[] = [
  { file: '/usr/bin/containerd', package: 'containerd' },
  { file: '/usr/sbin/runc', package: 'runc' },
  { file: '/usr/lib/cni/bridge', package: 'containernetworking-plugins' },
  { file: '/usr/sbin/nft', package: 'nftables' },
  { file: '/usr/sbin/iptables', package: 'iptables' },
  { file: '/usr/sbin/conntrack', package: 'conntrack' },
  { file: '/usr/sbin/ip', package: 'iproute2' },
  { file: '/usr/bin/docker-registry', package: 'docker-registry' },
  { file: '/usr/bin/unshare', package: 'util-linux' },
  { file: '/usr/bin/unzip', package: 'unzip' },
  { file: '/usr/bin/gcc', package: 'gcc' },
  { file: '/usr/lib/x86_64-linux-gnu/libc.a', package: 'libc6-dev' },
]

/** Names of the packages to install, given which files exist. */
export const missingPackages = (exists: (file: string) => boolean): string[] =>
  requirements
    // A merged /usr makes /sbin and /usr/sbin one; Debian moves programs between bin and sbin.
    .filter(({ file }) => !exists(file) && !exists(file.replace('/usr/sbin/', '/usr/bin/')))
    .map((requirement) => requirement.package)

/**
 * Installs the distribution's packages that are missing, and starts none of their services.
 * @returns the names of the installed packages
 * @throws Failure
 */
export async function ensurePackages(log: string): Promise<string[]> {
  const missing = missingPackages(existsSync)
  if (missing.length > 0) {
    await installPackages(missing, log)
    await disableServices(missing)
  }
  return missing
}

/** Installs packages with apt-get, one set at a time; their services stay off. */
export function installPackages(packages: readonly string[], log: string): Promise<void> {
  return withLock(installing(), () => installNow(packages, log))
}

async function installNow(packages: readonly string[], log: string): Promise<void> {
  if (!existsSync('/usr/bin/apt-get')) {
    throw new Failure('PackagesMissing', `these packages are missing: ${packages.join(' ')}`, {
      remedy: 'this machine has no apt-get: install them with its own package manager',
    })
  }
  const apt = ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300']
  const options = {
    log,
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    reason: 'PackagesMissing',
    remedy: `install by hand: apt-get install ${packages.join(' ')}`,
  }
  await withoutServices(async () => {
    const install = [...apt, 'install', '-y', '--no-install-recommends', ...packages]
    const first = await tryCommand(install, options)
    if (first.code === 0) return
    await command([...apt, 'update'], options)
    await command(install, options)
  })
}

// Nor may they start with the machine: a cluster brings its own.
async function disableServices(installed: readonly string[]): Promise<void> {
  const services = ['containerd', 'docker-registry'].filter((service) => installed.includes(service))
  if (services.length === 0 || !existsSync('/run/systemd/system')) return
  await tryCommand(['systemctl', 'disable', ...services])
}

const policy = '/usr/sbin/policy-rc.d'

// Debian asks this program before a package starts its service; code 101 means no.
async function withoutServices(install: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return install()
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await install()
  } finally {
    await rm(policy, { force: true })
  }
}
