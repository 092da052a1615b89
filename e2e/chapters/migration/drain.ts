import { expect } from '@jest/globals'
import type { Node, VirtualMachineInstance } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, list, tryKubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { virtctl } from '../../framework/virtctl.ts'
import { tinyVm } from '../../manifests/vms.ts'

/** VMs of each strategy; `E2E_DRAIN_VMS=5` is the long proof. */
const each = Number(process.env['E2E_DRAIN_VMS'] ?? 1)
const strategies = ['LiveMigrate', 'LiveMigrateIfPossible', 'None', 'External'] as const
type Strategy = (typeof strategies)[number]

/** How long so many guests may take to start or to move on a small machine. */
const allMs = 60_000 + each * 60_000

const namesOf = (strategy: Strategy): string[] =>
  Array.from({ length: each }, (_, index) => `${strategy.toLowerCase()}-${index}`)
const names = strategies.flatMap(namesOf)

function vmOf(namespace: string, name: string, evictionStrategy: Strategy) {
  const vm = tinyVm({ name, namespace, graceSeconds: 0 })
  const { template } = vm.spec
  const { domain } = template.spec
  // All of them fit on one small node.
  const requests = { ...domain.resources.requests, cpu: '10m' }
  const spec = { ...template.spec, evictionStrategy, domain: { ...domain, resources: { requests } } }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** What `virtctl drain-plan` says comes true when `kubectl drain` is called. */
export function drainScenario(namespace: string): void {
  scenario(
    'kubectl drain moves the guests that may move, restarts the others, and waits for those of other programs',
    async () => {
      const nodes = (await list<Node>('node', '')).map(({ metadata }) => metadata.name)
      const [node = '', ...others] = nodes
      await Promise.all(others.map((other) => kubectl('cordon', other)))
      try {
        for (const strategy of strategies)
          for (const name of namesOf(strategy)) await apply(vmOf(namespace, name, strategy))
        for (const name of names) await vmiInPhase(namespace, name, 'Running', { timeoutMs: allMs })
      } finally {
        await Promise.all(others.map((other) => kubectl('uncordon', other)))
      }
      const before = await guests(namespace)
      await planned(node)
      try {
        // A drain that fails says why; what waits for it would only say that nothing came.
        const external = namesOf('External').map((name) => moveAsAnotherProgram(namespace, name, node))
        await Promise.all([drain(node), ...external])
        await eventually(
          'all guests run on another node',
          async () => {
            for (const { metadata, status } of (await guests(namespace)).values())
              ensure(status?.phase === 'Running' && status.nodeName !== node, `${metadata.name} ${status?.phase}`)
            ensure((await guests(namespace)).size === names.length, 'some are missing')
          },
          allMs,
        )
        const after = await guests(namespace)
        const kept = names.filter((name) => before.get(name)?.metadata.uid === after.get(name)?.metadata.uid)
        expect(kept.toSorted()).toEqual(names.filter((name) => !namesOf('None').includes(name)).toSorted())
      } finally {
        await kubectl('uncordon', node)
      }
      await kubectl('delete', 'vm', '--all', '-n', namespace, '--timeout=120s')
    },
    300_000 + names.length * 60_000,
  )
}

async function planned(node: string): Promise<void> {
  const plan = JSON.parse(await virtctl('drain-plan', node, '-o', 'json')) as {
    readonly virtualMachines: readonly { readonly name: string; readonly action: string }[]
  }
  const actions: Readonly<Record<Strategy, string>> = {
    LiveMigrate: 'migrate',
    LiveMigrateIfPossible: 'migrate',
    None: 'restart',
    External: 'external',
  }
  for (const strategy of strategies)
    for (const name of namesOf(strategy))
      expect(plan.virtualMachines).toContainEqual(expect.objectContaining({ name, action: actions[strategy] }))
}

/** The product's own pods stay. */
async function drain(node: string): Promise<void> {
  const selected = ['--ignore-daemonsets', '--delete-emptydir-data', '--force']
  const flags = [...selected, '--pod-selector=kubevirt.io=virt-launcher', `--timeout=${(allMs + 240_000) / 1000}s`]
  const { code, stderr } = await tryKubectl(['drain', node, ...flags], { timeoutMs: allMs + 270_000 })
  ensure(code === 0, stderr)
}

async function moveAsAnotherProgram(namespace: string, name: string, node: string): Promise<void> {
  await eventually(
    'the eviction is remembered',
    async () => {
      const { status } = await getVmi(namespace, name)
      ensure(status?.evacuationNodeName === node, String(status?.evacuationNodeName))
    },
    allMs,
  )
  // Not waited for one by one: of many guests only a few move at a time.
  await virtctl('migrate', name, '-n', namespace)
}

async function guests(namespace: string): Promise<ReadonlyMap<string, VirtualMachineInstance>> {
  const vmis = await list<VirtualMachineInstance>('vmi', namespace)
  return new Map(vmis.map((vmi) => [vmi.metadata.name, vmi]))
}
