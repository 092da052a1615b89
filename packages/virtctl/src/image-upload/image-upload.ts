import { access } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import type { Cluster, CommandContext, CommandDefinition, FlagValues } from '../command.ts'
import { textOf, wholeNumber } from '../flags.ts'
import { send, UntrustedProxy } from './send.ts'
import { createDataSource, needCdi, proxyUrl, tokenFor } from './cdi.ts'
import { until } from './progress.ts'
import { annotation, createTarget } from './target.ts'
import type { Target } from './target.ts'

const pollMs = 1000

export const imageUpload: CommandDefinition = {
  name: 'image-upload',
  arguments: [
    ['[kind]', 'dv or pvc'],
    ['[name]', 'name of the DataVolume or claim'],
  ],
  summary: 'Upload a virtual machine image to a DataVolume or claim.',
  examples: [
    ['Upload a disk into a new DataVolume:', 'image-upload dv root --size=10Gi --image-path=disk.qcow2'],
    ['Upload into a claim that exists:', 'image-upload pvc root --no-create --image-path=disk.raw'],
    ['Upload an archive of files:', 'image-upload dv data --size=1Gi --archive-path=data.tar'],
    [
      'Through a port that is forwarded to the proxy:',
      'image-upload dv root --size=10Gi --image-path=disk.qcow2 --uploadproxy-url=https://localhost:8443 --insecure',
    ],
  ],
  flags: [
    { flags: '--size <quantity>', help: 'size of the DataVolume or claim that is made' },
    { flags: '--image-path <file>', help: 'disk image to upload' },
    { flags: '--archive-path <file>', help: 'tar archive to upload' },
    { flags: '--storage-class <name>', help: 'storage class of what is made' },
    { flags: '--access-mode <mode>', help: 'access mode of what is made' },
    { flags: '--volume-mode <mode>', help: 'block or filesystem' },
    { flags: '--block-volume', help: 'deprecated: --volume-mode=block', default: false },
    { flags: '--pvc-name <name>', help: 'deprecated: pvc NAME' },
    { flags: '--pvc-size <quantity>', help: 'deprecated: --size' },
    { flags: '--insecure', help: 'do not verify the proxy’s certificate', default: false },
    { flags: '--uploadproxy-url <url>', help: 'address of CDI’s upload proxy; CDI is asked unless told' },
    { flags: '--no-create', help: 'upload into what exists' },
    { flags: '--force-bind', help: 'bind the claim at once, whoever uses it first', default: false },
    {
      flags: '--wait-secs <seconds>',
      help: 'how long to wait for CDI to be ready',
      default: 300,
      parse: wholeNumber('--wait-secs'),
    },
    {
      flags: '--retry <times>',
      help: 'how often to try again when the upload fails',
      default: 5,
      parse: wholeNumber('--retry'),
    },
    { flags: '--datasource', help: 'make a DataSource of the name, too', default: false },
    { flags: '--default-instancetype <name>', help: 'instance type for guests of the image' },
    { flags: '--default-instancetype-kind <kind>', help: 'kind of that instance type' },
    { flags: '--default-preference <name>', help: 'preference for guests of the image' },
    { flags: '--default-preference-kind <kind>', help: 'kind of that preference' },
  ],
  run: async (context, args, flags) => {
    const target = targetOf(args, flags)
    const file = textOf(flags, 'imagePath') ?? textOf(flags, 'archivePath')
    if (!file) throw new CommandError('name what to upload: --image-path FILE or --archive-path FILE')
    const create = flags['create'] !== false
    if (create && !target.size) throw new CommandError('required flag(s) "size" not set: how large the volume is to be')
    await access(file).catch(() => {
      throw new CommandError(`${file} can not be read`)
    })
    const cluster = await context.cluster()
    await needCdi(cluster)
    const proxy = await proxyUrl(cluster, flags)
    if (create) await createTarget(cluster, target)
    const waitMs = (flags['waitSecs'] as number) * 1000
    await until(
      cluster,
      target.name,
      (progress) => progress[annotation.podReady] === 'true',
      'CDI’s upload pod did not become ready',
      waitMs,
      context,
    )
    await upload(cluster, target, file, proxy, flags, context)
    await until(
      cluster,
      target.name,
      (progress) => progress[annotation.podPhase] === 'Succeeded',
      'the image was not processed',
      waitMs,
      context,
    )
    if (flags['datasource'] === true) await createDataSource(cluster, target)
    return `Uploading ${file} completed successfully`
  },
}

function targetOf([word, given]: readonly string[], flags: FlagValues): Target {
  const kind = textOf(flags, 'pvcName') ? 'pvc' : word
  const name = textOf(flags, 'pvcName') ?? given
  if ((kind !== 'dv' && kind !== 'pvc') || !name)
    throw new CommandError('name what to upload into: dv NAME or pvc NAME')
  const label = (flag: string, key: string) => {
    const value = textOf(flags, flag)
    return value ? { [`instancetype.kubevirt.io/${key}`]: value } : {}
  }
  const mode = flags['blockVolume'] === true ? 'block' : textOf(flags, 'volumeMode')?.toLowerCase()
  if (mode && mode !== 'block' && mode !== 'filesystem')
    throw new CommandError(`--volume-mode: ${mode} is not known; use block or filesystem`)
  return {
    kind,
    name,
    archive: textOf(flags, 'archivePath') !== undefined,
    size: textOf(flags, 'size') ?? textOf(flags, 'pvcSize'),
    storageClass: textOf(flags, 'storageClass'),
    accessMode: textOf(flags, 'accessMode'),
    volumeMode: mode ? (mode === 'block' ? 'Block' : 'Filesystem') : undefined,
    forceBind: flags['forceBind'] === true,
    labels: {
      ...label('defaultInstancetype', 'default-instancetype'),
      ...label('defaultInstancetypeKind', 'default-instancetype-kind'),
      ...label('defaultPreference', 'default-preference'),
      ...label('defaultPreferenceKind', 'default-preference-kind'),
    },
  }
}

async function upload(
  cluster: Cluster,
  { name }: Target,
  file: string,
  proxy: string,
  flags: FlagValues,
  context: CommandContext,
): Promise<void> {
  const { stderr } = context.terminal
  stderr.write(`Uploading data to ${proxy}\n`)
  for (let left = flags['retry'] as number; ; left--) {
    try {
      const token = await tokenFor(cluster, name)
      return await send({
        proxy,
        token,
        file,
        insecure: flags['insecure'] === true,
        signal: context.signal,
        onProgress: progressTo(stderr),
      })
    } catch (error) {
      if (left <= 0 || context.signal.aborted || error instanceof UntrustedProxy) throw error
      stderr.write(`${(error as Error).message}; trying again\n`)
      await delay(pollMs, undefined, { signal: context.signal })
    }
  }
}

/** A line per tenth. */
function progressTo(stderr: { write(text: string): unknown }): (sent: number, total: number) => void {
  let tenths = 0
  return (sent, total) => {
    const now = Math.floor((sent / Math.max(1, total)) * 10)
    if (now > tenths) stderr.write(`${now * 10} %\n`)
    tenths = now
  }
}
