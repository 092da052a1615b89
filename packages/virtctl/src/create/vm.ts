import { CommandError } from '../command.ts'
import type { CommandDefinition, FlagValues } from '../command.ts'
import { textOf, truth, wholeNumber } from '../flags.ts'
import { quantity } from './quantity.ts'
import { yaml } from '../output.ts'
import { suffix } from '../random.ts'
import { accessCredentials, cloudInitFlags, cloudInitVolume } from './cloud-init.ts'
import { volumeFlags, volumesOf } from './volumes.ts'
import type { CreatedVolume } from './volumes.ts'

const runStrategies = ['Always', 'Halted', 'Manual', 'RerunOnFailure', 'Once', 'WaitAsReceiver']

export const createVm: CommandDefinition = {
  name: 'create vm',
  summary: 'Print a manifest of a virtual machine.',
  examples: [
    [
      'Make a virtual machine from an image:',
      'create vm --volume-containerdisk=src:quay.io/containerdisks/fedora:latest | kubectl create -f -',
    ],
    [
      'With an instance type, a user and a key:',
      'create vm --name=web --instancetype=u1.small --volume-import=type:ds,src:images/fedora --user=alice --ssh-key="ssh-ed25519 AAAA…"',
    ],
  ],
  flags: [
    { flags: '--name <name>', help: 'name of the machine; made up unless told' },
    { flags: '--run-strategy <strategy>', help: runStrategies.join(', '), default: 'Always' },
    {
      flags: '--termination-grace-period <seconds>',
      help: 'time the guest has to shut down',
      default: 180,
      parse: wholeNumber('--termination-grace-period'),
    },
    { flags: '--memory <quantity>', help: 'memory of the guest; 512Mi unless told or an instance type says' },
    { flags: '--instancetype <name>', help: 'instance type, as [KIND/]NAME' },
    {
      flags: '--infer-instancetype [yes]',
      help: 'take the instance type from the volume that is booted from',
      parse: truth,
    },
    { flags: '--infer-instancetype-from <volume>', help: 'take the instance type from this volume' },
    { flags: '--preference <name>', help: 'preference, as [KIND/]NAME' },
    {
      flags: '--infer-preference [yes]',
      help: 'take the preference from the volume that is booted from',
      parse: truth,
    },
    { flags: '--infer-preference-from <volume>', help: 'take the preference from this volume' },
    ...volumeFlags,
    ...cloudInitFlags,
  ],
  run: async (_, __, flags) => yaml(await machineOf(flags)),
}

async function machineOf(flags: FlagValues): Promise<object> {
  const name = textOf(flags, 'name') ?? `vm-${suffix()}`
  const runStrategy = textOf(flags, 'runStrategy')!
  if (!runStrategies.includes(runStrategy)) {
    throw new CommandError(
      `failed to parse "--run-strategy" flag: invalid RunStrategy "${runStrategy}", supported values are: ${runStrategies.join(', ')}`,
    )
  }
  const created = volumesOf(flags, name)
  const instancetype = matcher(flags, 'instancetype', created)
  const preference = matcher(flags, 'preference', created)
  const templates = created.flatMap(({ dataVolumeTemplate }) => dataVolumeTemplate ?? [])
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy,
      ...(instancetype && { instancetype }),
      ...(preference && { preference }),
      ...(templates.length > 0 && { dataVolumeTemplates: templates }),
      template: { metadata: {}, spec: await guestOf(flags, created, instancetype) },
    },
  }
}

async function guestOf(
  flags: FlagValues,
  created: readonly CreatedVolume[],
  instancetype: Matcher | undefined,
): Promise<object> {
  const disks = created.flatMap(({ volume, bootOrder }) =>
    bootOrder === undefined ? [] : [{ name: volume.name, bootOrder, disk: { bus: 'virtio' } }],
  )
  const cloudInit = await cloudInitVolume(flags)
  const volumes = [...created.map(({ volume }) => volume), ...(cloudInit ? [cloudInit] : [])]
  const credentials = accessCredentials(flags)
  return {
    domain: { ...memoryOf(flags, instancetype), devices: disks.length > 0 ? { disks } : {}, resources: {} },
    terminationGracePeriodSeconds: flags['terminationGracePeriod'],
    ...(volumes.length > 0 && { volumes }),
    ...(credentials.length > 0 && { accessCredentials: credentials }),
  }
}

/** A machine whose instance type is only hoped for keeps memory of its own. */
function memoryOf(flags: FlagValues, instancetype: Matcher | undefined): object {
  const memory = textOf(flags, 'memory')
  const certain = instancetype !== undefined && instancetype['inferFromVolumeFailurePolicy'] !== 'Ignore'
  if (certain && memory)
    throw new CommandError('--memory excludes an instance type, which says how much memory there is')
  return certain ? {} : { memory: { guest: memory === undefined ? '512Mi' : quantity(memory, 'memory') } }
}

type Matcher = Readonly<Record<string, string>>

const kindWords = { instancetype: 'Instancetype', preference: 'Preference' } as const

/** What is named, else what the volume to boot from says: surely when asked for, if it can be when not. */
function matcher(
  flags: FlagValues,
  what: keyof typeof kindWords,
  volumes: readonly CreatedVolume[],
): Matcher | undefined {
  const word = kindWords[what]
  const [named, from, infer] = [textOf(flags, what), textOf(flags, `infer${word}From`), flags[`infer${word}`]]
  const asked = infer === true
  if ([named !== undefined, from !== undefined, asked].filter(Boolean).length > 1) {
    throw new CommandError(`--${what}, --infer-${what} and --infer-${what}-from exclude each other`)
  }
  if (named !== undefined) return namedMatcher(named, what)
  if (from !== undefined) {
    if (volumes.some(({ volume }) => volume.name === from)) return { inferFromVolume: from }
    throw new CommandError(`there is no volume with name ${from} to infer the ${what} from`)
  }
  if (infer === false) return undefined
  const [boot] = volumes
  if (boot?.inferable)
    return { inferFromVolume: boot.volume.name, ...(!asked && { inferFromVolumeFailurePolicy: 'Ignore' }) }
  if (!asked) return undefined
  throw new CommandError(
    `the ${what} can not be inferred: the machine boots from no claim, DataSource, snapshot or registry`,
  )
}

function namedMatcher(text: string, what: keyof typeof kindWords): Matcher {
  const at = text.indexOf('/')
  if (at === -1) return { name: text }
  const kind = text.slice(0, at).toLowerCase()
  const kinds: Readonly<Record<string, string>> = {
    [`virtualmachine${what}`]: `VirtualMachine${kindWords[what]}`,
    [`virtualmachinecluster${what}`]: `VirtualMachineCluster${kindWords[what]}`,
  }
  const known = kinds[kind.replace(/s$/, '')]
  if (!known)
    throw new CommandError(
      `failed to parse "--${what}" flag: kind ${kind} is not known; use ${Object.keys(kinds).join(' or ')}`,
    )
  return { kind: known, name: text.slice(at + 1) }
}
