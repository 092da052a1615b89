import { persistentVolumeClaims, pods, virtualMachines } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim, VirtualMachine } from '@kubevirt-ts/api'
import { isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { answerOf } from '../client/subresource.ts'
import { joinTerminal } from '../console/session.ts'
import { textOf, truth, wholeNumber } from '../flags.ts'
import { attach } from './attach.ts'
import { containerName, places, podName, toolsPod } from './pod.ts'
import { running } from './wait.ts'

const pullPolicies = ['Always', 'IfNotPresent', 'Never']

export const guestFs: CommandDefinition = {
  name: 'guestfs',
  arguments: [['pvc', 'name of the claim to look into']],
  summary: 'Look into the disks of a claim with the tools of libguestfs.',
  examples: [
    ["Start a shell with the tools and the claim 'mypvc' in /disk:", 'guestfs mypvc'],
    ['As root, with an image of your own:', 'guestfs mypvc --root --image registry.example/libguestfs-tools:latest'],
    ['On nodes without KVM:', 'guestfs mypvc --kvm=false'],
    ["On the nodes that 'myvm' may run on:", 'guestfs mypvc --vm myvm'],
  ],
  flags: [
    { flags: '--image <image>', help: 'image with libguestfs; that of the KubeVirt installation unless told' },
    { flags: '--pull-policy <policy>', help: pullPolicies.join(', '), default: 'IfNotPresent' },
    { flags: '--kvm [on]', help: 'use KVM for the tools’ own machine', default: true, parse: truth },
    { flags: '--root', help: 'run as root', default: false },
    { flags: '--uid <uid>', help: 'user to run as; 107 unless told', parse: wholeNumber('--uid') },
    { flags: '--gid <gid>', help: 'group to run as; needs --uid', parse: wholeNumber('--gid') },
    { flags: '--fsGroup <gid>', help: 'group that the claim’s files are given to', parse: wholeNumber('--fsGroup') },
    { flags: '--vm <name>', help: 'virtual machine whose nodes the pod may run on' },
  ],
  run: async (context, [claimName = ''], flags) => {
    checkUsers(flags)
    const pullPolicy = textOf(flags, 'pullPolicy')!
    if (!pullPolicies.includes(pullPolicy)) {
      throw new CommandError(`--pull-policy: ${pullPolicy} is not known; use ${pullPolicies.join(', ')}`)
    }
    const cluster = await context.cluster()
    const claim = await freeClaim(cluster, claimName)
    const pod = toolsPod({
      claim,
      namespace: cluster.namespace,
      image: textOf(flags, 'image') ?? (await installedImage(cluster)),
      pullPolicy,
      kvm: flags['kvm'] !== false,
      root: flags['root'] === true,
      uid: flags['uid'] as number | undefined,
      gid: flags['gid'] as number | undefined,
      fsGroup: flags['fsGroup'] as number | undefined,
      vm: await machineOf(cluster, flags),
    })
    await cluster.client.create(pods, pod).catch((error: Error) => {
      if (!isAlreadyExists(error)) throw error
      throw new CommandError(`pod ${pod.metadata.name} is there already: leave the other session, or delete the pod`)
    })
    try {
      await session(cluster, claim, context)
    } finally {
      await remove(cluster, pod.metadata.name)
    }
    return undefined
  },
}

function checkUsers(flags: FlagValues): void {
  const { uid, gid, root } = flags
  if (root === true && uid !== undefined && uid !== 0) {
    throw new CommandError('--root and --uid exclude each other: root is user 0')
  }
  if (gid !== undefined && uid === undefined) throw new CommandError('gid requires the uid to be set: give --uid, too')
}

/** The claim, unless a pod uses it: two writers would destroy what is on it. */
async function freeClaim({ client, namespace }: Cluster, name: string): Promise<PersistentVolumeClaim> {
  const claim = await client.get(persistentVolumeClaims, { namespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
    throw new CommandError(`The PVC ${name} doesn't exist in namespace ${namespace}`)
  })
  const { items } = await client.list(pods, { namespace })
  const user = items.find(
    ({ spec, status }) =>
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed' &&
      spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
  )
  if (!user) return claim
  throw new CommandError(`PVC ${name} is used by another pod: ${user.metadata.name}; stop its virtual machine first`)
}

async function machineOf({ client, namespace }: Cluster, flags: FlagValues): Promise<VirtualMachine | undefined> {
  const name = textOf(flags, 'vm')
  if (name === undefined) return undefined
  return client.get(virtualMachines, { namespace, name }).catch((error: Error) => {
    throw new CommandError(`error getting VirtualMachine ${name}: ${error.message}`)
  })
}

interface ImageInfo {
  readonly registry?: string
  readonly tag?: string
  readonly digest?: string
  readonly imagePrefix?: string
  readonly gsImage?: string
}

/** The image that virt-api names. */
async function installedImage({ client }: Cluster): Promise<string> {
  const answer = await client.request({ method: 'GET', path: '/apis/subresources.kubevirt.io/v1/guestfs' })
  try {
    return imageOf(JSON.parse(answerOf(answer).toString()) as ImageInfo)
  } catch (error) {
    throw new CommandError(
      `could not get the image of the KubeVirt installation: ${(error as Error).message}; name one by --image`,
    )
  }
}

/** A whole image of its own, or the place of KubeVirt's images, their prefix, and a digest or tag. */
export function imageOf({ registry, tag, digest, imagePrefix = '', gsImage }: ImageInfo): string {
  if (gsImage) return gsImage
  if (!registry) throw new Error('the KubeVirt resource tells no registry')
  const version = digest ? `@${digest}` : `:${tag || 'latest'}`
  return `${registry}/${imagePrefix}libguestfs-tools${version}`
}

async function session({ client, namespace }: Cluster, claim: PersistentVolumeClaim, context: CommandContext) {
  const pod = podName(claim.metadata.name)
  await running(client, { namespace, name: pod }, context)
  const { terminal, signal } = context
  const stream = await attach(client, { namespace, pod, container: containerName }, terminal, signal)
  const place = claim.spec?.volumeMode === 'Block' ? places.Block : places.Filesystem
  terminal.stderr.write(
    `The PVC has been mounted at ${place}\nIf you don't see a command prompt, try pressing enter.\n`,
  )
  await joinTerminal(stream, terminal, signal)
}

async function remove({ client, namespace }: Cluster, name: string): Promise<void> {
  await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}
