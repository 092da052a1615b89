import { command, tryCommand } from '@kubevirt-ts/dev-cluster'
import type { Engine } from './engine.ts'
import { parseReferences } from './references.ts'

const pullTimeout = 120_000

/** docker, and podman with docker's command line; `global` are options that stand before every command. */
export function docker(name: 'docker' | 'podman', global: readonly string[] = []): Engine {
  const program = [name, ...global]
  return {
    name,
    async references() {
      return parseReferences(
        await command([...program, 'images', '--no-trunc', '--format', '{{.Repository}}:{{.Tag}} {{.ID}}']),
      )
    },
    async build({ containerfile, context, reference, target, arguments: values, log }) {
      const pairs = Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
      const stage = target ? ['--target', target] : []
      await command([...program, 'build', ...stage, ...pairs, '-t', reference, '-f', containerfile, context], {
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
      const options = plain && name === 'podman' ? ['--tls-verify=false'] : []
      await command([...program, 'tag', reference, destination])
      await command([...program, 'push', '--quiet', ...options, destination], {
        reason: 'PushFailed',
        remedy: `check that ${name} may push to the registry of ${destination}: log in, or name it as insecure where it speaks HTTP`,
      })
      await tryCommand([...program, 'rmi', destination])
    },
    async save(reference, file) {
      await command([...program, 'save', '-o', file, reference], { reason: 'SaveFailed' })
    },
    async release() {
      // Its containers are the user's business, and it cleans up after its own builds.
    },
    async extract(reference, folder) {
      // An image of files only has no command; a container that never runs needs one in name.
      const container = (await command([...program, 'create', reference, 'none'])).trim()
      try {
        await command([...program, 'cp', `${container}:/.`, folder])
      } finally {
        await tryCommand([...program, 'rm', container])
      }
    },
  }
}
