import { join } from 'node:path'
import { packageFolder, repository } from './places.ts'
import { bundle } from './parts/bundle.ts'
import { cProgram } from './parts/c-program.ts'
import { checkedIn } from './parts/files.ts'
import { koffi } from './parts/koffi.ts'
import { nodeRuntime } from './parts/node-runtime.ts'
import type { ContextPart, Recipe } from './recipe.ts'

const inPackage = (name: string, ...path: string[]): string => join(packageFolder(name), ...path)
const own = (...path: string[]): string => inPackage('images', ...path)

const containerDisk = cProgram({
  name: 'container-disk',
  source: inPackage('container-disk', 'src', 'container-disk.c'),
})
const collect = checkedIn(own('base', 'collect.sh'), 'collect.sh')

/** A program under the service's own name, for pods and people who start it by that. */
const startedAs = (service: string): ContextPart =>
  cProgram({ name: service, source: own('base', 'start-node.c'), defines: { APP: `/app/${service}.mjs` } })

/** A program of virt-launcher's that runs on Node for a moment, in its pod. */
const helper = (name: string): ContextPart[] => [bundle(name, 'virt-launcher'), startedAs(name)]

const base = (name: string, bases: Recipe['bases'], ...context: ContextPart[]): Recipe => ({
  name,
  containerfile: `packages/images/base/${name}/Containerfile`,
  bases,
  context,
})

const service = (name: string, packageName: string, bases: Recipe['bases'], ...more: ContextPart[]): Recipe => ({
  name,
  containerfile: `packages/${packageName}/Containerfile`,
  bases,
  context: [bundle(name, packageName), startedAs(name), ...more],
})

const bases: readonly Recipe[] = [
  base('node', {}, nodeRuntime),
  base('handler-os', { NODE: 'node' }, collect),
  base('launcher-os', { NODE: 'node' }, collect),
]

const products: readonly Recipe[] = [
  service('virt-api', 'virt-api', { NODE: 'node' }),
  service(
    'virt-controller',
    'virt-controller',
    { NODE: 'node' },
    checkedIn(join(repository, 'charts', 'kubevirt', 'crds'), 'crds'),
  ),
  service(
    'virt-handler',
    'virt-handler',
    { OS: 'handler-os' },
    koffi,
    containerDisk,
    cProgram({ name: 'virt-chroot', source: inPackage('virt-handler', 'mount', 'virt-chroot.c') }),
    cProgram({ name: 'virt-devices', source: inPackage('virt-handler', 'mount', 'virt-devices.c') }),
    cProgram({ name: 'virt-vsock', source: inPackage('virt-handler', 'mount', 'virt-vsock.c') }),
  ),
  service(
    'virt-launcher',
    'virt-launcher',
    { OS: 'launcher-os' },
    koffi,
    containerDisk,
    cProgram({
      name: 'virt-launcher-monitor',
      source: inPackage('virt-launcher', 'monitor', 'virt-launcher-monitor.c'),
    }),
    ...helper('virt-probe'),
    ...helper('virt-freezer'),
    checkedIn(inPackage('virt-launcher', 'node-labeller', 'node-labeller.sh'), 'bin/node-labeller'),
    cProgram({ name: 'virt-tail', source: inPackage('virt-launcher', 'tail', 'virt-tail.c') }),
  ),
  service('stickyvm-scheduler', 'scheduler', { NODE: 'node' }),
]

const guestFile = (folder: string, to: string): ContextPart => checkedIn(own('guests', folder), to)
const initrdModules = guestFile('kernel/initrd-modules.sh', 'initrd-modules.sh')

const guest = (name: string, folder: string, target: string, ...context: ContextPart[]): Recipe => ({
  name,
  containerfile: `packages/images/guests/${folder}/Containerfile`,
  target,
  bases: { KERNEL: 'guest-kernel' },
  context: [initrdModules, ...context],
})

const workshop: Recipe = {
  name: 'guest-kernel',
  containerfile: 'packages/images/guests/kernel/Containerfile',
  bases: {},
  context: ['bytes.sh', 'place-kernel.s', 'place-kernel.sh'].map((file) => guestFile(`kernel/${file}`, file)),
}

const tinyGuest: readonly ContextPart[] = [
  ...['root', 'boot-sector.s', 'disk.sh', 'kernel-arguments'].map((file) => guestFile(`tiny/${file}`, file)),
  cProgram({ name: 'virtio-disk', source: own('guests', 'tiny', 'virtio-disk.c'), kind: 'boot' }),
]

const guests: readonly Recipe[] = [
  guest('guest-tiny-kernel', 'tiny', 'kernel', ...tinyGuest),
  guest('guest-tiny', 'tiny', 'disk', ...tinyGuest),
  guest(
    'guest-debian',
    'debian',
    'disk',
    guestFile('debian/root', 'root'),
    guestFile('debian/initrd', 'initrd'),
    guestFile('debian/kernel-arguments', 'kernel-arguments'),
  ),
]

/** Every image that this package can make. */
export const recipes: readonly Recipe[] = [...bases, ...products, workshop, ...guests]

/** The images that the chart installs. */
export const imageNames: readonly string[] = products.map(({ name }) => name)

/** What those stand on; built with them, or by name. */
export const baseNames: readonly string[] = bases.map(({ name }) => name)

/** The images of guests for tests and the demo. */
export const guestNames: readonly string[] = guests.map(({ name }) => name)
