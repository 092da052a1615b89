import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createHookCallbacks,
  createHookInfoClient,
  type HookCallbacks,
  type HookInfo,
  newestOf,
} from '@kubevirt-ts/handler-launcher-com'
import { VirtError } from '@kubevirt-ts/service'

/** A sidecar that is called at some points of the guest's life. */
export type Hook = {
  readonly name: string
  /** By the name of the point: sidecars of higher priority are called first. */
  readonly points: ReadonlyMap<string, number>
  readonly callbacks: HookCallbacks
}

const lookMs = 100

/**
 * Finds the sidecars' sockets as they appear, one or more below each sidecar's folder, and asks each what it wants to
 * be called for. Resolves with as many as the pod has; rejects when they are not all there in time, or one speaks no
 * known version.
 */
export async function collectHooks(folder: string, count: number, timeoutMs: number): Promise<readonly Hook[]> {
  const hooks = new Map<string, Hook>()
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (hooks.size < count) {
    for (const socket of await socketsBelow(folder)) {
      if (hooks.has(socket)) continue
      const info = await infoOf(socket).catch((error: unknown) => void (last = error))
      if (info !== undefined) hooks.set(socket, hookOf(socket, info))
    }
    if (hooks.size >= count) break
    if (Date.now() > deadline)
      throw new VirtError(
        'HookSidecarMissing',
        `only ${hooks.size} of ${count} hook sidecars answered within ${timeoutMs / 1000} s: look at their logs`,
        { cause: last },
      )
    await delay(lookMs)
  }
  return [...hooks.values()]
}

async function socketsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isSocket()).map((entry) => join(entry.parentPath, entry.name))
}

/** A sidecar whose socket is there may not serve yet. */
async function infoOf(socket: string): Promise<HookInfo> {
  const client = createHookInfoClient(socket)
  try {
    return await client.info({})
  } finally {
    client.close()
  }
}

function hookOf(socket: string, { name, versions, hookPoints }: HookInfo): Hook {
  const version = newestOf(versions)
  if (version === undefined)
    throw new VirtError('HookVersionUnknown', `hook sidecar ${name} speaks ${versions.join(', ') || 'no version'}`)
  return {
    name,
    points: new Map(hookPoints.map((point) => [point.name, point.priority])),
    callbacks: createHookCallbacks(socket, version),
  }
}
