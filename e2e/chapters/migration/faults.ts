import { expect } from '@jest/globals'
import type { Pod, VirtualMachineInstance } from '@kubevirt-ts/api'
import { arm, cutting, killing, standingStill, type Armed } from '../../framework/armed.ts'
import { forgetClaims } from '../../framework/claims.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { collectEvidence } from '../../framework/evidence.ts'
import { handlerOn } from '../../framework/faults.ts'
import { apply, getVmi, inLauncher, kubectl, list, vmiInPhase } from '../../framework/kubectl.ts'
import { namespace as product } from '../../framework/product.ts'
import { randomFrom } from '../../framework/random.ts'
import { scenario } from '../../framework/scenario.ts'
import { TickLog } from '../../framework/ticks.ts'
import { claimOnAllNodes } from '../../manifests/claims.ts'
import { tickingVm } from '../../manifests/ticking.ts'
import { lostWordScenario } from './lost-word.ts'
import { askToMove, finished, homeOf, launchers, migrations, policyFor } from './moves.ts'

/**
 * `E2E_MIGRATION_SEEDS=100` is the long proof; `E2E_MIGRATION_SEED` begins elsewhere, or names single ones (`2,8`), and
 * `E2E_MIGRATION_PHASES` leaves some out.
 */
const count = Number(process.env['E2E_MIGRATION_SEEDS'] ?? 0)
const [firstSeed = 1, ...named] = (process.env['E2E_MIGRATION_SEED'] ?? '1').split(',').map(Number)
const seeds = named.length > 0 ? [firstSeed, ...named] : Array.from({ length: count }, (_, index) => firstSeed + index)

const victims = ['source launcher', 'target launcher', 'source agent', 'target agent', 'controller', 'network'] as const
const phases = (process.env['E2E_MIGRATION_PHASES']?.split(',') ?? ['pre-copy', 'switch-over', 'post-copy']) as Phase[]
type Victim = (typeof victims)[number]
type Phase = 'pre-copy' | 'switch-over' | 'post-copy'

const name = 'survivor'
/** On this claim the guest has a disk that both nodes reach and that it never stops writing to. */
const claim = 'ledger'
const image = '/var/run/kubevirt-private/vmi-disks/written/disk.img'

/** Whatever breaks while a guest moves: it runs once afterwards, and it never ran twice. */
export function faultScenarios(namespace: string): void {
  if (seeds.length === 0) return
  lostWordScenario(namespace)
  scenario(
    `${seeds.length} faults from seed ${firstSeed}: of a guest that moves there is one running copy, whatever dies`,
    async () => {
      await forgetClaims(namespace, claim)
      await apply(claimOnAllNodes({ name: claim, namespace, size: '16Mi' }))
      await startAnew(namespace)
      const broken: string[] = []
      for (const seed of seeds) {
        const began = Date.now()
        const { text, faults } = await strike(namespace, seed).catch((error: unknown) => unsettled(error))
        const seconds = ((Date.now() - began) / 1_000).toFixed(0)
        process.stderr.write(`      seed ${seed} (${seconds} s): ${[text, ...faults].join('; ')}\n`)
        if (faults.length === 0) continue
        broken.push(...faults.map((fault) => `seed ${seed}, ${text}: ${fault}`))
        await collectEvidence(`seed ${seed}`, faults.join('\n'))
        await startAnew(namespace)
      }
      expect(broken).toEqual([])
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
      await forgetClaims(namespace, claim)
    },
    120_000 + seeds.length * 240_000,
  )
}

type Outcome = { readonly text: string; readonly faults: string[] }

const unsettled = (error: unknown): Outcome => ({ text: 'no end', faults: [(error as Error).message] })

async function startAnew(namespace: string): Promise<void> {
  await kubectl('delete', 'vm', name, '-n', namespace, '--ignore-not-found', '--timeout=180s')
  await apply(tickingVm({ name, namespace, graceSeconds: 0, claim }))
  await vmiInPhase(namespace, name, 'Running')
}

/** One fault; answers what came of the move, and what must not be. */
async function strike(namespace: string, seed: number): Promise<Outcome> {
  const random = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const [victim, phase] = [pick(victims), pick(phases)]
  const what = `${victim} in ${phase}`
  const slow = { bandwidthPerMigration: '16Mi' }
  const late = { ...slow, allowPostCopy: true, completionTimeoutPerGiB: 2 }
  await using _policy = await policyFor(name, phase === 'post-copy' ? late : slow)
  using ticks = new TickLog()
  const before = await getVmi(namespace, name)
  const source = await homeOf(namespace, name)
  ticks.follow(source)
  // Before the move: a small guest may have left its source before a program is ready there.
  await using switching =
    phase === 'switch-over' ? await arm(source, 'compute', standingStill(before.metadata.uid ?? '', 80)) : undefined
  const move = await askToMove(namespace, name)
  const target = await eventually(`seed ${seed}: the target runs`, async () => {
    const found = (await launchers(before)).find(({ metadata }) => metadata.uid !== source.metadata.uid)
    // A pod's phase tells of the first of its containers.
    const compute = found?.status?.containerStatuses?.find(({ name: container }) => container === 'compute')
    ensure(found && compute?.state?.running, 'it does not')
    return found
  })
  ticks.follow(target)
  const [from, to] = await Promise.all([source, target].map(({ spec }) => handlerOn(spec.nodeName ?? '')))
  await using armed = await armedFor(victim, { source, target, from: from!, to: to!, cutMs: 2_000 + random() * 20_000 })
  await moment(phase, random, { namespace, switching, uid: move.metadata.uid })
  await armed.act()
  await replaceKilled(victim, from!, to!)
  const after = await settled(namespace, seed, ticks)
  const outcome = (await migrations(namespace)).find(({ metadata }) => metadata.uid === move.metadata.uid)
  const isSame = after.metadata.uid === before.metadata.uid
  const told = outcome?.status?.migrationState?.failureReason ?? ''
  const text = `${what}: ${outcome?.status?.phase}, ${isSame ? 'the same guest' : 'a new guest'} ${told}`
  const twice = ticks.twice()
  const faults = [
    ...(twice.length > 0 ? [`two copies ran: ${twice.length} counts were heard twice`] : []),
    ...(isSame || mayEndGuest(victim, phase) ? [] : ['the guest was lost']),
  ]
  return { text, faults }
}

/** A guest ends with the launcher that it lives in; while its memory is in two places, with either. */
const mayEndGuest = (victim: Victim, phase: Phase): boolean =>
  victim === 'source launcher' || phase === 'post-copy' || (victim === 'target launcher' && phase === 'switch-over')

interface Scene {
  readonly source: Pod
  readonly target: Pod
  /** Agents of both nodes. */
  readonly from: Pod
  readonly to: Pod
  readonly cutMs: number
}

async function armedFor(victim: Victim, { source, target, from, to, cutMs }: Scene): Promise<Armed> {
  switch (victim) {
    case 'source launcher':
      return arm(source, 'compute', killing('virt-launcher\0'))
    case 'target launcher':
      return arm(target, 'compute', killing('virt-launcher\0'))
    case 'source agent':
      return arm(from, 'virt-handler', killing('/app/virt-handler.mjs'))
    case 'target agent':
      return arm(to, 'virt-handler', killing('/app/virt-handler.mjs'))
    case 'controller': {
      const [controller] = await controllers()
      const host = controller?.spec.nodeName === to.spec.nodeName ? to : from
      return arm(host, 'virt-handler', killing('/app/virt-controller.mjs'))
    }
    case 'network':
      return arm(from, 'virt-handler', cutting(from.status?.podIP ?? '', to.status?.podIP ?? '', Math.round(cutMs)))
  }
}

const controllers = (): Promise<Pod[]> => list<Pod>('pod', product, 'kubevirt.io=virt-controller')

interface Moving {
  readonly namespace: string
  /** Ends its act when the guest stands still. */
  readonly switching: Armed | undefined
  /** Of the migration. */
  readonly uid: string | undefined
}

/** Waits for the drawn moment of the move. */
async function moment(phase: Phase, random: () => number, { namespace, switching, uid }: Moving): Promise<void> {
  await eventually('the guest is on its way', async () => {
    const state = (await getVmi(namespace, name)).status?.migrationState
    const { mode, startTimestamp, completed } = state?.migrationUid === uid ? (state ?? {}) : {}
    ensure(startTimestamp !== undefined || completed, 'it is not')
    if (phase === 'post-copy') ensure(mode === 'PostCopy' || completed, `its mode is ${mode}`)
  })
  await switching?.act()
  // Not a wait for anything: the fault's moment within its phase is drawn.
  const within: Readonly<Record<Phase, number>> = { 'pre-copy': 2_000, 'switch-over': 120, 'post-copy': 300 }
  await new Promise((resolve) => setTimeout(resolve, random() * within[phase]))
}

/** Pods whose process was killed make place for new ones: the kubelet would let them wait longer each time. */
async function replaceKilled(victim: Victim, from: Pod, to: Pod): Promise<void> {
  const killed = { 'source agent': [from], 'target agent': [to], controller: await controllers() } as const
  const pods: readonly Pod[] = victim in killed ? killed[victim as keyof typeof killed] : []
  for (const { metadata } of pods)
    await kubectl('delete', 'pod', metadata.name, '-n', product, '--force', '--grace-period=0')
  for (const { spec } of pods) if (victim !== 'controller') await handlerOn(spec.nodeName ?? '', pods)
}

/** One copy of the guest runs, in the place that its VMI names, and counts; no move is under way. */
function settled(namespace: string, seed: number, ticks: TickLog): Promise<VirtualMachineInstance> {
  return eventually(
    `seed ${seed}: one guest runs and no move is left`,
    async () => {
      const vmi = await getVmi(namespace, name)
      ensure(vmi.status?.phase === 'Running', `the VMI is ${vmi.status?.phase}`)
      const open = (await migrations(namespace)).filter(({ status }) => !finished.includes(status?.phase ?? ''))
      ensure(open.length === 0, `a move is ${open[0]?.status?.phase}: ${JSON.stringify(vmi.status?.migrationState)}`)
      const running = await launchers(vmi)
      const [home] = running
      ensure(home && running.length === 1, `${running.length} launchers run`)
      ensure(home.spec.nodeName === vmi.status.nodeName, `the launcher runs on ${home.spec.nodeName}`)
      ticks.follow(home)
      const copies = await qemus(namespace)
      ensure(copies === 1, `${copies} copies of QEMU run`)
      const writing = await writers(home)
      ensure(writing === 1, `${writing} hold the lock of a writer on its disk`)
      const heard = ticks.of(home).length
      await eventually('it counts', async () => ensure(ticks.of(home).length > heard, `it stands at ${heard}`), 5_000)
      return vmi
    },
    210_000,
  )
}

/** How many hold the lock of a writer on the image that all nodes reach: QEMU takes it by byte 101 of the file. */
async function writers(home: Pod): Promise<number> {
  const script = `
    const { readFileSync, statSync } = require('node:fs')
    const { ino } = statSync('${image}')
    for (const line of readFileSync('/proc/locks', 'latin1').split('\\n')) {
      const [, node, first, last] = /OFDLCK.*:(\\d+) (\\d+) (\\d+)$/.exec(line) ?? []
      if (Number(node) === ino && Number(first) <= 101 && Number(last) >= 101) console.log(line)
    }`
  return (await inLauncher(home, script)).split('\n').filter(Boolean).length
}

/** Processes of the guest's QEMU on all nodes. */
async function qemus(namespace: string): Promise<number> {
  const script = `
    const { readdirSync, readFileSync } = require('node:fs')
    for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid))
      // A process may have ended since it was listed.
      try { if (readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes('guest=${namespace}_${name},')) console.log(pid) } catch {}`
  const handlers = await list<Pod>('pod', product, 'kubevirt.io=virt-handler')
  const found = await Promise.all(
    handlers
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) =>
        kubectl('exec', '-n', product, metadata.name, '-c', 'virt-handler', '--', '/usr/bin/node', '-e', script),
      ),
  )
  return found.flatMap((text) => text.split('\n').filter(Boolean)).length
}
