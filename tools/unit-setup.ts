import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Programs and libraries that unit tests run against, and Debian's package for each. */
const needed: readonly (readonly [found: () => boolean, debianPackage: string])[] = [
  [() => hasProgram('gcc'), 'gcc'],
  [() => existsSync('/usr/include/stdio.h'), 'libc6-dev'],
  [() => hasProgram('ip'), 'iproute2'],
  [() => hasProgram('nft'), 'nftables'],
  [() => hasProgram('unshare'), 'util-linux'],
  [() => hasProgram('openssl'), 'openssl'],
  [() => hasProgram('busybox'), 'busybox-static'],
  [() => hasLibrary('libvirt.so.0'), 'libvirt0'],
]

const hasProgram = (name: string): boolean =>
  ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(`${folder}/${name}`))

const hasLibrary = (name: string): boolean =>
  ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'].some((folder) => existsSync(`${folder}/${name}`))

/** Installs what the unit tests need and the machine lacks, where it is a Debian that lets us. */
export default function unitSetup(): void {
  const missing = needed.filter(([found]) => !found()).map(([, name]) => name)
  if (missing.length === 0) return
  const apt = (...args: string[]) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  apt('update', '-qq')
  const { status } = apt('install', '-y', '-qq', '--no-install-recommends', ...missing)
  if (status !== 0)
    throw new Error(
      `the unit tests need ${missing.join(', ')}; install them (on Debian: apt-get install ${missing.join(' ')})`,
    )
}
