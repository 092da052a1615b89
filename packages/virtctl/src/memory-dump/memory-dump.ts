import { formatQuantity, persistentVolumeClaims, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim } from '@kubevirt-ts/api'
import { isNotFound } from '@kubevirt-ts/kubecli'
import { guestMemory } from '@kubevirt-ts/vmispec'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, FlagValues } from '../command.ts'
import { putSubresource } from '../client/subresource.ts'
import { textOf, wholeNumber } from '../flags.ts'
import type { Terminal } from '../terminal.ts'
import { notDownloadable } from '../unavailable/unavailable.ts'

/** How long a dump may take, and how often it is looked at; in milliseconds. */
const waitMs = 10 * 60_000
const pollMs = 2000

export const getMemoryDump: CommandDefinition = {
  name: 'memory-dump get',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Dump the memory of a running virtual machine into a claim.',
  examples: [
    ["Dump the memory of 'myvm' into a claim that exists:", 'memory-dump get myvm --claim-name=memory'],
    ['Make the claim first:', 'memory-dump get myvm --claim-name=memory --create-claim'],
    ['Dump again into the same claim:', 'memory-dump get myvm'],
  ],
  flags: [
    { flags: '--claim-name <name>', help: 'claim to dump into; that of the last dump unless told' },
    { flags: '--create-claim', help: 'make the claim, large enough', default: false },
    { flags: '--storage-class <name>', help: 'storage class of the claim that is made' },
    { flags: '--access-mode <mode>', help: 'access mode of the claim that is made', default: 'ReadWriteOnce' },
    { flags: '--output <file>', help: 'also download the dump; not in this release' },
    { flags: '--format <format>', help: 'format of the download: gzip or raw', default: 'gzip' },
    { flags: '--port-forward', help: 'download through a forwarded port', default: false },
    {
      flags: '--local-port <port>',
      help: 'local port of --port-forward',
      default: 0,
      parse: wholeNumber('--local-port'),
    },
  ],
  run: async ({ cluster, terminal, signal }, [name = ''], flags) => {
    // Said before the guest is stopped for a dump that then can not be had.
    if (textOf(flags, 'output')) throw notDownloadable
    const connected = await cluster()
    const claimName = textOf(flags, 'claimName')
    if (flags['createClaim'] === true) await createClaim(connected, name, claimName, flags)
    const before = (await requestOf(connected, name))?.startTimestamp
    const options = claimName ? { claimName } : { claimName: (await requestOf(connected, name))?.claimName ?? '' }
    await putSubresource(connected, 'virtualmachines', name, 'memorydump', options).catch((error: Error) => {
      throw new CommandError(`error dumping vm memory, ${error.message}`)
    })
    await finished(connected, name, before, terminal, signal)
    return `Successfully submitted memory dump request of VM ${name}; the memory is in claim ${options.claimName}`
  },
}

export const removeMemoryDump: CommandDefinition = {
  name: 'memory-dump remove',
  arguments: [['vm', 'name of the virtual machine']],
  summary: 'Let go of the claim that memory was dumped into; the claim stays.',
  examples: [["Detach the dumps of 'myvm':", 'memory-dump remove myvm']],
  run: async ({ cluster }, [name = '']) => {
    await putSubresource(await cluster(), 'virtualmachines', name, 'removememorydump', {}).catch((error: Error) => {
      throw new CommandError(`error removing memory dump association, ${error.message}`)
    })
    return `Successfully submitted remove memory dump association of VM ${name}`
  },
}

async function requestOf({ client, namespace }: Cluster, name: string) {
  const { status } = await client.get(virtualMachines, { namespace, name }).catch((error: Error) => {
    throw new CommandError(`error getting VirtualMachine ${name}: ${error.message}`)
  })
  return status?.memoryDumpRequest
}

const mebi = 1024n * 1024n

/** A claim for the guest's memory, what a dump needs beside it, and a filesystem. */
async function createClaim(
  { client, namespace }: Cluster,
  vm: string,
  name: string | undefined,
  flags: FlagValues,
): Promise<void> {
  if (!name) throw new CommandError('missing claim name: --create-claim needs --claim-name')
  const mode = textOf(flags, 'accessMode')!
  if (mode === 'ReadOnlyMany')
    throw new CommandError('cannot dump memory to a readonly pvc: choose another --access-mode')
  const exists = await client.get(persistentVolumeClaims, { namespace, name }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )
  if (exists)
    throw new CommandError(
      `PVC ${namespace}/${name} already exists, check if it should be created: leave --create-claim out to use it`,
    )
  const vmi = await client.get(virtualMachineInstances, { namespace, name: vm }).catch((error: Error) => {
    throw new CommandError(`error getting VirtualMachineInstance ${vm}: ${error.message}`)
  })
  const bytes = (((guestMemory(vmi.spec) ?? 0n) + 100n * mebi) * 1055n) / 1000n
  const storage = formatQuantity(((bytes + mebi - 1n) / mebi) * mebi)
  const storageClassName = textOf(flags, 'storageClass')
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: [mode], resources: { requests: { storage } }, ...(storageClassName && { storageClassName }) },
  }
  await client.create(persistentVolumeClaims, claim)
}

/** Waits until the dump that was asked for is done. */
async function finished(
  cluster: Cluster,
  name: string,
  before: string | undefined,
  { stderr }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const end = Date.now() + waitMs
  let told: string | undefined
  for (;;) {
    const request = await requestOf(cluster, name)
    if (request?.phase !== undefined && request.phase !== told) {
      told = request.phase
      stderr.write(`Waiting for memory dump ${request.claimName} to complete, current phase: ${told}\n`)
    }
    const isNew = request?.startTimestamp !== undefined && request.startTimestamp !== before
    if (isNew && request?.phase === 'Completed') return
    if (request?.phase === 'Failed' && (isNew || before === undefined))
      throw new CommandError(`memory dump failed: ${request.message ?? 'no reason is told'}`)
    if (Date.now() > end)
      throw new CommandError(`the memory dump of ${name} is still in phase ${request?.phase} after 10 minutes`)
    await delay(pollMs, undefined, { signal })
  }
}
