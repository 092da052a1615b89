import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { customResourceDefinitions } from '@kubevirt-ts/api'
import type { CustomResourceDefinition } from '@kubevirt-ts/api'
import { ApiError, isConflict, isNotFound, isServerFailure } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { VirtError } from '@kubevirt-ts/service'
import type { Logger } from '@kubevirt-ts/service'

export interface ApplyOptions {
  readonly client: KubeClient
  /** Folder with one definition a file, named `<definition>.yaml` or `.json`. */
  readonly dir: string
  readonly timeoutMs: number
  readonly log: Logger
}

const fieldManager = 'virt-controller-lifecycle'
const suffix = /\.(ya?ml|json)$/
const pollMs = 500

/** Brings every definition of the folder to this version and waits until the API server serves it. */
export async function applyCrds({ client, dir, timeoutMs, log }: ApplyOptions): Promise<void> {
  const deadline = Date.now() + timeoutMs
  const files = (await readdir(dir)).filter((file) => suffix.test(file)).toSorted()
  if (files.length === 0)
    throw new VirtError('NoDefinitions', `${dir} holds no definitions; give their folder with --dir`)
  for (const file of files) {
    const name = file.replace(suffix, '')
    await untilNotTerminating(client, name, deadline, log)
    await apply(client, name, await readFile(join(dir, file), 'utf8'), deadline)
  }
  for (const file of files) await untilEstablished(client, file.replace(suffix, ''), deadline)
  log.info({ definitions: files.length }, 'custom resource definitions applied')
}

/** A definition that an earlier uninstall is still deleting cannot be changed; a new one follows it. */
async function untilNotTerminating(client: KubeClient, name: string, deadline: number, log: Logger): Promise<void> {
  for (let told = false; ; told = true) {
    const crd = await find(client, name)
    if (crd?.metadata.deletionTimestamp === undefined) return
    if (!told) log.info({ crd: name }, 'waiting for the deletion of the definition to end')
    await pause(deadline, `definition ${name} is still being deleted; remove the finalizers of its objects`)
  }
}

/** The text is sent as it is: server-side apply reads YAML. */
async function apply(client: KubeClient, name: string, text: string, deadline: number): Promise<void> {
  for (;;) {
    try {
      await client.patch(customResourceDefinitions, { name }, text, { type: 'apply', fieldManager, force: true })
      return
    } catch (error) {
      if (!isConflict(error) && !isBusy(error)) throw error
      await pause(
        deadline,
        isBusy(error)
          ? `the API server does not take definition ${name}: ${error.message}`
          : `definition ${name} keeps being changed by somebody else`,
      )
    }
  }
}

/** Too many definitions at once for a slow server: what it did not answer in time may be asked again. */
function isBusy(error: unknown): error is ApiError {
  return isServerFailure(error) || (error instanceof ApiError && error.code === 429)
}

async function untilEstablished(client: KubeClient, name: string, deadline: number): Promise<void> {
  for (;;) {
    const conditions = (await find(client, name))?.status?.conditions ?? []
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
    await pause(
      deadline,
      `definition ${name} is not established: ${refused?.message ?? 'the API server does not serve it yet'}`,
    )
  }
}

async function find(client: KubeClient, name: string): Promise<CustomResourceDefinition | undefined> {
  try {
    return await client.get(customResourceDefinitions, { name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function pause(deadline: number, problem: string): Promise<void> {
  if (Date.now() >= deadline) throw new VirtError('TimedOut', problem)
  await sleep(pollMs)
}
