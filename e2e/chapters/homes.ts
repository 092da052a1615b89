import { expect } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { bestWithin } from '../framework/best.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, get, getVm, gone, kubectl, launcherOf, list, tryKubectl, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { configure, install, namespace as productNamespace } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { startStockScheduler } from '../framework/stock-scheduler.ts'
import { tryVirtctl, virtctl } from '../framework/virtctl.ts'
import { claimsByPlace } from '../manifests/claims.ts'
import { ballast, smallPod, tinyVm } from '../manifests/vms.ts'

const name = 'nomad'
const homeKey = 'home.kubevirt-ts.io/node'

/** How often the VM is stopped and started; the long form has 20. */
const rounds = Number(process.env['E2E_HOMES_ROUNDS'] ?? 3)

export function homesChapter(): void {
  const namespace = testNamespace('homes')
  let home = ''
  let other = ''

  /** Also of a VM that does not run, as after a scenario that failed. */
  const stop = async (): Promise<void> => {
    const { code, stderr } = await tryVirtctl('stop', name, '-n', namespace)
    if (code !== 0 && !stderr.includes('VM is not running') && !stderr.includes('Halted only supports')) {
      throw new Error(`virtctl stop ${name}: ${stderr}`)
    }
    await gone('vmi', namespace, name, 120_000)
  }
  const begin = () => virtctl('start', name, '-n', namespace)
  /** Answers the node. */
  const running = async (vm = name): Promise<string> => {
    const { status } = await vmiInPhase(namespace, vm, 'Running', { timeoutMs: 120_000 })
    return status?.nodeName ?? ''
  }
  const restarted = async (): Promise<string> => {
    await stop()
    await begin()
    return running()
  }
  const annotated = async (vm = name) => (await getVm(namespace, vm)).metadata.annotations?.[homeKey]
  const virtctlHome = (verb: string, ...flags: string[]) => virtctl('home', verb, name, '-n', namespace, ...flags)

  /** Waits until the VM is told of its home, by condition and by event; answers the message. */
  const told = (reason: string): Promise<string> =>
    eventually(`VM ${name} is told ${reason}`, async () => {
      const vm = await getVm(namespace, name)
      const condition = vm.status?.conditions?.find(({ type }) => type === 'HomeAvailable')
      ensure(condition?.status === 'False' && condition.reason === reason, `it is told ${JSON.stringify(condition)}`)
      const about = `involvedObject.kind=VirtualMachine,involvedObject.name=${name},reason=${reason}`
      const events = await kubectl('get', 'events', '-n', namespace, '--field-selector', about, '-o', 'name')
      ensure(events !== '', 'there is no event')
      return condition.message ?? ''
    })
  const untold = () =>
    eventually(`VM ${name} is told of nothing`, async () => {
      const { status } = await getVm(namespace, name)
      ensure(!status?.conditions?.some(({ type }) => type === 'HomeAvailable'), 'it has HomeAvailable')
    })
  const pod = async (): Promise<Pod> => {
    const vmi = await get<{ metadata: { uid: string } }>('vmi', namespace, name)
    return launcherOf(namespace, vmi.metadata.uid)
  }

  scenario('a VM makes the node of its first start its home', async () => {
    await apply(tinyVm({ name, namespace, schedulerName: 'stickyvm', graceSeconds: 0 }))
    home = await running()
    await eventually('the home is written', async () => ensure((await annotated()) === home, 'it is not'))
    const nodes = (await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ')
    other = nodes.find((node) => node !== home) ?? ''
    expect(other).not.toBe('')
    expect(await virtctlHome('show')).toContain(`Home:       ${home}`)
  })

  scenario('pods without a VM go where there is more room', async () => {
    const [scheduler] = await list<Pod>('pod', productNamespace, 'kubevirt.io=stickyvm-scheduler')
    const image = scheduler?.spec.containers[0]?.image ?? ''
    const ready = (pod: string) =>
      kubectl('-n', namespace, 'wait', `pod/${pod}`, '--for=condition=Ready', '--timeout=120s')
    await apply(ballast({ name: 'ballast', namespace, image, node: home }))
    // So that every scheduler has seen it.
    await ready('ballast')
    await apply(smallPod({ name: 'plain', namespace, image, schedulerName: 'stickyvm' }))
    await ready('plain')
    expect((await get<Pod>('pod', namespace, 'plain')).spec.nodeName).toBe(other)
  })

  scenario(
    'a VM comes home after every stop, however empty the other node is',
    async () => {
      const seen: string[] = []
      for (let round = 0; round < rounds; round++) seen.push(await restarted())
      expect(seen).toEqual(Array.from({ length: rounds }, () => home))
    },
    120_000 + rounds * 90_000,
  )

  /** Stops the VM, and starts it while its home is cordoned; from the uncordon until its pod has a node, in ms. */
  const heldUp = async (): Promise<number> => {
    await stop()
    await kubectl('cordon', home)
    try {
      await begin()
      expect(await told('HomeNodeCordoned')).toContain(`home node ${home} is cordoned, the VM waits: uncordon it`)
      await eventually('the pod says why it waits', async () => {
        const condition = (await pod()).status?.conditions?.find(({ type }) => type === 'PodScheduled')
        const words = /^0\/2 nodes are available: .*StickyVM.*unschedulable/
        ensure(words.test(condition?.message ?? ''), `it says ${condition?.message}`)
      })
    } finally {
      await kubectl('uncordon', home)
    }
    const uncordonedAt = Date.now()
    expect(await running()).toBe(home)
    // The server's clock counts whole seconds.
    const scheduled = (await pod()).status?.conditions?.find(({ type }) => type === 'PodScheduled')
    await untold()
    return Date.parse(scheduled?.lastTransitionTime ?? '') - uncordonedAt
  }

  scenario('required waits while the home is cordoned and says why, and starts within 5 s of uncordon', async () => {
    expect(await bestWithin(4_999, heldUp)).toBeLessThan(5_000)
  })

  scenario('preferred goes elsewhere while the home is cordoned, and comes back', async () => {
    await virtctlHome('set', '--policy', 'preferred')
    await kubectl('cordon', home)
    try {
      expect(await restarted()).toBe(other)
      expect(await told('HomeNodeCordoned')).toContain('the VM may start elsewhere')
      expect(await annotated()).toBe(home)
    } finally {
      await kubectl('uncordon', home)
    }
    await untold()
    expect(await restarted()).toBe(home)
    await virtctlHome('set', '--policy', 'required')
  })

  scenario('a home can be forgotten, and moved', async () => {
    await virtctlHome('forget')
    expect(await restarted()).toBe(other)
    await eventually('the new home is written', async () => ensure((await annotated()) === other, 'it is not'))
    await virtctlHome('move', '--node', home)
    expect(await restarted()).toBe(home)
  })

  scenario('evacuate lets the VMs of a node start elsewhere, return brings them back', async () => {
    expect(await virtctl('home', 'evacuate', home)).toContain(`${namespace}/${name}`)
    await kubectl('cordon', home)
    try {
      expect(await restarted()).toBe(other)
    } finally {
      await kubectl('uncordon', home)
    }
    expect(await virtctl('home', 'list', '-n', namespace)).toMatch(new RegExp(`${name} +${other} .*${home}`))
    expect(await virtctl('home', 'return', home)).toContain(`${namespace}/${name}`)
    expect(await restarted()).toBe(home)
  })

  scenario('a home that is not ready, or gone, is told with what to do', async () => {
    await apply(nodeWithoutKubelet('lost'))
    try {
      await virtctlHome('move', '--node', 'lost')
      await stop()
      await begin()
      expect(await told('HomeNodeNotReady')).toContain('home node lost is not ready, the VM waits')
    } finally {
      await kubectl('delete', 'node', 'lost')
    }
    expect(await told('HomeNodeMissing')).toContain('use "virtctl home move" or "virtctl home forget"')
    await virtctlHome('forget')
    expect(await running()).toBe(other)
    await untold()
  })

  scenario('the first placement looks at all claims of a VM at once', async () => {
    const names = ['one', 'two']
    // Each claim alone could be met where there is more room, both only beside the ballast.
    await apply(claimsByPlace({ names, namespace, size: '64Mi', nodes: [home, home, other] }))
    try {
      const keeper = tinyVm({ name: 'keeper', namespace, schedulerName: 'stickyvm', graceSeconds: 0 })
      const { spec } = keeper.spec.template
      const disks = names.map((disk) => ({ name: disk, disk: { bus: 'virtio' } }))
      const volumes = names.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: claim } }))
      Object.assign(spec.domain.devices, { disks: [...spec.domain.devices.disks, ...disks] })
      Object.assign(spec, { volumes: [...spec.volumes, ...volumes] })
      await apply(keeper)
      expect(await running('keeper')).toBe(home)
      await eventually('its home is written', async () => ensure((await annotated('keeper')) === home, 'it is not'))
    } finally {
      await tryKubectl(['delete', 'vm', 'keeper', '-n', namespace, '--timeout=120s'])
      await tryKubectl(['delete', 'pvc', ...names, '-n', namespace, '--timeout=120s'])
      await tryKubectl(['delete', 'pv', '-l', `of=${namespace}`, '--wait=false'])
      await tryKubectl(['delete', 'storageclass', namespace])
    }
  })

  scenario(
    'a stock kube-scheduler that asks the extender brings VMs home and makes homes',
    async () => {
      try {
        await using stock = await startStockScheduler({ schedulerName: 'stock', configure })
        expect(stock.address).not.toBe('')
        const vm = (vmName: string) => tinyVm({ name: vmName, namespace, schedulerName: 'stock', graceSeconds: 0 })
        const withHome = vm('with-home')
        await apply({ ...withHome, metadata: { ...withHome.metadata, annotations: { [homeKey]: home } } })
        await apply(vm('without-home'))
        expect(await running('with-home')).toBe(home)
        const node = await running('without-home')
        await eventually('a home is made', async () => ensure((await annotated('without-home')) === node, 'it is not'))
      } finally {
        await tryKubectl(['delete', 'vm', '-n', namespace, 'with-home', 'without-home', '--timeout=120s'])
        await install()
      }
    },
    600_000,
  )
}

/** Nobody runs it; without the label of an operating system no node agent is wanted there. */
function nodeWithoutKubelet(node: string): Node {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels: { 'kubernetes.io/hostname': node } } }
}
