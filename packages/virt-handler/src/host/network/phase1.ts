import { run } from '../run.ts'
import type { VirtChroot } from '../mounts/virt-chroot.ts'
import type { Selinux } from '../selinux/selinux.ts'
import type { StateFolder } from '../state-folder.ts'
import { planBridge, type PlaceholderType } from './bridge.ts'
import { writeNetworkCache } from './cache-file.ts'
import type { CardPlan, CardWish } from './card.ts'
import { masqueradeCard } from './masquerade-card.ts'
import { planPasst } from './passt.ts'
import { type Batch, linkBatches } from './link-batches.ts'
import { parsePodLink, type PodLink } from './pod-link.ts'
import { tearDownCommands } from './tear-down.ts'

/** What is remembered of a guest's networks, across restarts of this process: by the card's name. */
export interface NetworkRecord {
  readonly cards: Readonly<Record<string, CardRecord>>
}

export interface CardRecord {
  readonly state: 'Started' | 'Finished'
  /** The pod's link as it was before. */
  readonly link: PodLink
}

/** The pod's network can neither be used nor repaired: only a new pod helps, so the VMI fails. */
export class CriticalNetworkError extends Error {
  override readonly name = 'CriticalNetworkError'
}

export interface Phase1 {
  /** UID of the VMI; the record's name. */
  readonly uid: string
  /** A process in the pod's network namespace. */
  readonly pid: number
  /** The launcher's private folder, as this process sees it. */
  readonly privateFolder: string
  readonly cards: readonly CardWish[]
}

export interface NetworkTools {
  readonly records: StateFolder<NetworkRecord>
  readonly virtChroot: Pick<VirtChroot, 'writeSettings' | 'inContext'>
  readonly selinux: Pick<Selinux, 'contextOf'>
  /** What stands in for a pod's link that the guest took over. */
  readonly placeholder: PlaceholderType
  /** Whether the kernel knows IPv6. */
  readonly ipv6: boolean
}

/**
 * Builds the guest's side of the pod's networks: bridges, taps, addresses, NAT. Done once per card; a second call
 * answers the record. Throws `CriticalNetworkError` when an earlier call did not finish.
 */
export async function setUpNetwork(tools: NetworkTools, phase: Phase1): Promise<NetworkRecord> {
  let record = (await tools.records.read(phase.uid)) ?? { cards: {} }
  for (const wish of phase.cards) {
    const known = record.cards[wish.name]
    if (known?.state === 'Finished') continue
    if (known?.state === 'Started')
      throw new CriticalNetworkError('the pod network was left half built by an interrupted setup; a new pod is needed')
    const link = await readLink(phase.pid, wish)
    const plan = planCard(wish, link, tools)
    const note = async (state: CardRecord['state']): Promise<void> => {
      record = { cards: { ...record.cards, [wish.name]: { state, link } } }
      await tools.records.write(phase.uid, record)
    }
    await note('Started')
    await build(plan, wish, phase, tools)
    await note('Finished')
  }
  return record
}

/** Removes what was built for a card that the guest no longer has. The pod's own link stays as it is. */
export async function tearDownCard(
  { records }: Pick<NetworkTools, 'records'>,
  { uid, pid }: Pick<Phase1, 'uid' | 'pid'>,
  wish: CardWish,
): Promise<void> {
  const record = await records.read(uid)
  if (record?.cards[wish.name] === undefined) return
  // What the cluster's network already removed is not there any more: each line may fail.
  for (const line of tearDownCommands(wish)) await inside(pid, ['ip', ...line.split(' ')]).catch(() => undefined)
  const { [wish.name]: _gone, ...cards } = record.cards
  await records.write(uid, { cards })
}

function planCard(wish: CardWish, link: PodLink, { placeholder, ipv6 }: NetworkTools): CardPlan {
  const { attachment } = wish
  switch (attachment.kind) {
    case 'masquerade':
      return masqueradeCard(wish, link, attachment)
    case 'bridge':
      return planBridge(wish, link, { placeholder, ipv6, serverAddress: attachment.serverAddress })
    case 'managedTap':
      return planBridge(wish, link, { placeholder, ipv6 })
    case 'passt':
      return planPasst(link)
  }
}

async function build(
  plan: CardPlan,
  { name }: CardWish,
  { pid, privateFolder }: Phase1,
  { virtChroot, selinux }: NetworkTools,
): Promise<void> {
  const { settings, rules, cache } = plan
  try {
    for (const batch of linkBatches(plan, selinux.contextOf(pid))) await runBatch(pid, batch, virtChroot)
    await virtChroot.writeSettings(pid, settings)
    if (rules !== undefined) await inside(pid, ['nft', '-f', '-'], rules)
    writeNetworkCache(privateFolder, name, cache)
  } catch (error) {
    const message = `the network of card ${name} could not be set up: ${(error as Error).message}`
    throw new CriticalNetworkError(message, { cause: error })
  }
}

async function readLink(pid: number, wish: CardWish): Promise<PodLink> {
  const addresses = await inside(pid, ['ip', '-json', 'address', 'show'])
  const routes = await inside(pid, ['ip', '-json', '-4', 'route', 'show'])
  return parsePodLink(addresses, routes, wish)
}

async function runBatch(
  pid: number,
  { commands, context }: Batch,
  { inContext }: Pick<VirtChroot, 'inContext'>,
): Promise<void> {
  const ip = ['ip', '-batch', '-'] as const
  const input = commands.map((command) => `${command}\n`).join('')
  await inside(pid, context === undefined ? ip : inContext(context, ip), input)
}

const inside = (pid: number, command: readonly string[], input?: string): Promise<string> =>
  run(['nsenter', `--net=/proc/${pid}/ns/net`, ...command], input)
