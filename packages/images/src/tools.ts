import { existsSync } from 'node:fs'
import { installPackages } from '@kubevirt-ts/dev-cluster'
import { imagesCache } from './places.ts'

/** What image builds use beside the engine: any of these files, and the Debian package that brings it. */
const tools = {
  gcc: { files: ['/usr/bin/gcc', '/usr/local/bin/gcc'], package: 'gcc' },
  libc: { files: ['/usr/lib/x86_64-linux-gnu/libc.a', '/usr/lib64/libc.a', '/usr/lib/libc.a'], package: 'libc6-dev' },
  strip: { files: ['/usr/bin/strip', '/usr/local/bin/strip'], package: 'binutils' },
  mmdebstrap: { files: ['/usr/bin/mmdebstrap'], package: 'mmdebstrap' },
  'archive keys': { files: ['/usr/share/keyrings/debian-archive-keyring.gpg'], package: 'debian-archive-keyring' },
  buildah: { files: ['/usr/bin/buildah'], package: 'buildah' },
} as const

export type Tool = keyof typeof tools

/** Debian packages for the tools that are missing, given which files exist. */
export const missingTools = (wanted: readonly Tool[], exists: (file: string) => boolean): string[] =>
  wanted
    .map((tool) => tools[tool])
    .filter(({ files }) => !files.some(exists))
    .map((tool) => tool.package)

/** Installs what is missing of these tools. @throws Failure that names the packages */
export async function ensureTools(...wanted: Tool[]): Promise<void> {
  const missing = missingTools(wanted, existsSync)
  if (missing.length > 0) await installPackages(missing, imagesCache('logs', 'packages.log'))
}
