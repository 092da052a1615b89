import { persistentVolumeClaims } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, Flag, FlagValues } from '../command.ts'
import { answerOf, subresourcePath } from '../client/subresource.ts'
import { neededText, textOf } from '../flags.ts'
import { announced, dryRunFlag, dryRunOption } from '../vm/flags.ts'

/** CDI's kind, which may not be installed. */
const dataVolumes: ResourceType<KubeObject> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'datavolumes',
  kind: 'DataVolume',
  namespaced: true,
}

const volumeFlags: readonly Flag[] = [
  { flags: '--volume-name <name>', help: 'name of the volume: a DataVolume or a claim; required' },
  { flags: '--persist', help: 'accepted for compatibility: a VM keeps the volume over restarts', default: false },
  dryRunFlag,
]

/** Somebody else's write comes in between at times. */
const attempts = 15
const longestName = 63

export const addVolume: CommandDefinition = {
  name: 'addvolume',
  arguments: [['vmi', 'name of the virtual machine (instance)']],
  summary: 'Add a volume to a running virtual machine.',
  examples: [
    ["Plug the DataVolume or claim 'data' into 'myvm':", 'addvolume myvm --volume-name=data'],
    ['Choose bus and serial number:', 'addvolume myvm --volume-name=data --bus=virtio --serial=1234'],
  ],
  flags: [
    ...volumeFlags,
    { flags: '--disk-name <name>', help: 'name of the disk, if not the volume’s' },
    { flags: '--serial <serial>', help: 'serial number that the guest sees; the volume’s name unless told' },
    { flags: '--cache <mode>', help: 'none, writethrough or writeback' },
    { flags: '--disk-type <type>', help: 'disk or lun', default: 'disk' },
    { flags: '--bus <bus>', help: 'scsi, or virtio for a disk', default: 'scsi' },
  ],
  run: async ({ cluster }, [name = ''], flags) => {
    const volume = neededText(flags, 'volumeName', 'volume-name')
    const connected = await cluster()
    const options = addOptions(flags, volume, await sourceOf(connected, volume))
    await putWithFallback(connected, name, 'addvolume', { ...options, ...dryRunOption(flags) }).catch(
      (error: Error) => {
        throw new CommandError(`error adding volume, ${error.message}`)
      },
    )
    return announced(flags, `Successfully submitted add volume request to VM ${name} for volume ${volume}`)
  },
}

export const removeVolume: CommandDefinition = {
  name: 'removevolume',
  arguments: [['vmi', 'name of the virtual machine (instance)']],
  summary: 'Remove a volume from a running virtual machine.',
  examples: [["Unplug the volume 'data' from 'myvm':", 'removevolume myvm --volume-name=data']],
  flags: volumeFlags,
  run: async ({ cluster }, [name = ''], flags) => {
    const volume = neededText(flags, 'volumeName', 'volume-name')
    const options = { name: volume, ...dryRunOption(flags) }
    await putWithFallback(await cluster(), name, 'removevolume', options).catch((error: Error) => {
      throw new CommandError(`error removing volume, ${error.message}`)
    })
    return announced(flags, `Successfully submitted remove volume request to VM ${name} for volume ${volume}`)
  },
}

type Source = { readonly dataVolume: object } | { readonly persistentVolumeClaim: object }

/** A DataVolume of the name, else a claim. */
async function sourceOf({ client, namespace }: Cluster, name: string): Promise<Source> {
  if (name.length > longestName) throw new CommandError(`volume name ${name} is longer than ${longestName} characters`)
  const exists = async <T>(resource: ResourceType<T>) =>
    client.get(resource, { namespace, name }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false
        throw error
      },
    )
  if (await exists(dataVolumes)) return { dataVolume: { name, hotpluggable: true } }
  if (await exists(persistentVolumeClaims)) return { persistentVolumeClaim: { claimName: name, hotpluggable: true } }
  throw new CommandError(
    `error adding volume, volume ${name} is neither a DataVolume nor a PersistentVolumeClaim in ${namespace}`,
  )
}

function addOptions(flags: FlagValues, name: string, volumeSource: Source): object {
  const type = textOf(flags, 'diskType')
  const bus = textOf(flags, 'bus')
  if (type !== 'disk' && type !== 'lun')
    throw new CommandError(`error adding volume, invalid disk type ${type}; use disk or lun`)
  if (bus !== 'scsi' && !(type === 'disk' && bus === 'virtio')) {
    throw new CommandError(
      `error adding volume, invalid bus ${bus} for a ${type}; use scsi${type === 'disk' ? ' or virtio' : ''}`,
    )
  }
  const cache = textOf(flags, 'cache')
  const disk = {
    name: textOf(flags, 'diskName') ?? name,
    [type]: { bus },
    serial: textOf(flags, 'serial') ?? name,
    ...(cache && { cache }),
  }
  return { name, disk, volumeSource }
}

/** Asks the VM; an instance without one is asked itself. */
async function putWithFallback(
  { client, namespace }: Cluster,
  name: string,
  subresource: string,
  body: object,
): Promise<void> {
  const put = async (resource: 'virtualmachines' | 'virtualmachineinstances') => {
    const path = subresourcePath(namespace, resource, name, subresource)
    let answer = await client.request({ method: 'PUT', path, body })
    for (
      let tries = 1;
      answer.status === 409 && /jsonpatch test operation/.test(answer.body.toString()) && tries < attempts;
      tries++
    ) {
      answer = await client.request({ method: 'PUT', path, body })
    }
    return answer
  }
  const first = await put('virtualmachines')
  answerOf(first.status === 404 ? await put('virtualmachineinstances') : first)
}
