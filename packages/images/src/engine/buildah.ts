import { cp } from 'node:fs/promises'
import { command, tryCommand } from '@kubevirt-ts/dev-cluster'
import type { Engine } from './engine.ts'
import { parseReferences } from './references.ts'

const pullTimeout = 120_000

/**
 * buildah as root, in a store of its own: nothing of the user's images is seen or touched. `chroot` isolation
 * needs no runtime, no cgroups and no network of its own.
 */
export function buildah(storage: { readonly driver: string; readonly root: string; readonly run: string }): Engine {
  const program = ['buildah', '--storage-driver', storage.driver, '--root', storage.root, '--runroot', storage.run]
  const inContainerOf = async (reference: string, work: (container: string) => Promise<void>): Promise<void> => {
    const container = (await command([...program, 'from', '--pull-never', reference])).trim()
    try {
      await work(container)
    } finally {
      await tryCommand([...program, 'rm', container])
    }
  }
  return {
    name: 'buildah',
    async references() {
      return parseReferences(await command([...program, 'images', '--format', '{{.Name}}:{{.Tag}} {{.ID}}']))
    },
    async build({ containerfile, context, reference, target, arguments: values, log }) {
      const pairs = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
      const stage = target ? ['--target', target, '--layers'] : ['--layers=false']
      const argv = [
        ...program,
        'bud',
        '--isolation',
        'chroot',
        ...stage,
        ...pairs,
        '-t',
        reference,
        '-f',
        containerfile,
        context,
      ]
      await command(argv, {
        log,
        reason: 'ImageBuildFailed',
        remedy: `read ${log}; the build is repeated by the same command`,
      })
    },
    async tag(reference, as) {
      await command([...program, 'tag', reference, as])
    },
    async remove(references) {
      await tryCommand([...program, 'rmi', ...references])
    },
    async pull(reference) {
      return (await tryCommand([...program, 'pull', '--quiet', reference], { timeout: pullTimeout })).code === 0
    },
    async push(reference, destination, { plain }) {
      // Layers of a registry on this machine are not worth compressing.
      const options = plain ? ['--tls-verify=false', '--disable-compression'] : []
      await command([...program, 'push', '--quiet', ...options, reference, `docker://${destination}`], {
        reason: 'PushFailed',
        remedy: `check that the registry of ${destination} can be reached and that you are logged in to it; one that speaks plain HTTP is given as http://HOST/PATH`,
      })
    },
    async save(reference, file) {
      await command([...program, 'push', '--quiet', reference, `docker-archive:${file}:${reference}`], {
        reason: 'SaveFailed',
      })
    },
    async release() {
      await tryCommand([...program, 'rm', '--all'])
    },
    async extract(reference, folder) {
      await inContainerOf(reference, async (container) => {
        const root = (await command([...program, 'mount', container])).trim()
        await cp(root, folder, { recursive: true })
      })
    },
  }
}
