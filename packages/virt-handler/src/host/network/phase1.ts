import type { VirtChroot } from '../mounts/virt-chroot.ts'
import { run } from '../run.ts'
import type { StateFolder } from '../state-folder.ts'
import { renderIpBatch, wantedSwitches } from './ip-batch.ts'
import { type MasqueradeRequest, planMasquerade } from './masquerade.ts'
import { renderNftScript } from './nft-script.ts'
import { parsePodLink, type PodLink } from './pod-link.ts'

/** What is remembered of a guest's pod network, across restarts of this process. */
export interface NetworkRecord {
  readonly state: 'Started' | 'Finished'
  /** The pod's link as it was before anything was changed. */
  readonly link: PodLink
}

/**
 * The network of the pod is half built and cannot be told apart from a finished one: only a new pod helps.
 * The VMI fails with this.
 */
export class CriticalNetworkError extends Error {
  override readonly name = 'CriticalNetworkError'
}

export interface Phase1 {
  /** UID of the VMI; the record's name. */
  readonly uid: string
  /** A process in the pod's network namespace. */
  readonly pid: number
  readonly podLink: string
  readonly masquerade: MasqueradeRequest
}

export interface NetworkTools {
  readonly records: StateFolder<NetworkRecord>
  readonly virtChroot: Pick<VirtChroot, 'switchOn'>
}

/**
 * Builds the guest's side of the pod network: bridge, tap, addresses, NAT. Done once per guest; a second call answers
 * the record. Throws `CriticalNetworkError` when an earlier call did not finish.
 */
export async function setUpNetwork({ records, virtChroot }: NetworkTools, phase: Phase1): Promise<NetworkRecord> {
  const known = await records.read(phase.uid)
  if (known?.state === 'Finished') return known
  if (known?.state === 'Started')
    throw new CriticalNetworkError('the pod network was left half built by an interrupted setup; a new pod is needed')
  const link = parsePodLink(await inside(phase.pid, ['ip', '-json', 'address', 'show']), phase.podLink)
  const plan = planMasquerade(link, phase.masquerade)
  await records.write(phase.uid, { state: 'Started', link })
  try {
    await inside(phase.pid, ['ip', '-batch', '-'], renderIpBatch(plan))
    await virtChroot.switchOn(phase.pid, wantedSwitches(plan))
    await inside(phase.pid, ['nft', '-f', '-'], renderNftScript(plan))
  } catch (error) {
    throw new CriticalNetworkError(`the pod network could not be set up: ${(error as Error).message}`, { cause: error })
  }
  const finished = { state: 'Finished', link } as const
  await records.write(phase.uid, finished)
  return finished
}

const inside = (pid: number, command: readonly string[], input?: string): Promise<string> =>
  run(['nsenter', `--net=/proc/${pid}/ns/net`, ...command], input)
