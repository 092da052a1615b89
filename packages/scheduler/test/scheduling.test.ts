import { describe, expect, test } from '@jest/globals'
import { pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { homeOf, machine, node, pod, startScheduler, until } from './in-memory/cluster.ts'

describe('plain pods', () => {
  test('each goes to the emptiest node that has room', async () => {
    await using scheduler = await startScheduler([node('n1'), node('n2'), pod('x', { nodeName: 'n1' }), pod('p')])

    await until(() => scheduler.nodeOf('p') !== undefined)

    expect(scheduler.nodeOf('p')).toBe('n2')
    expect(scheduler.told).toContainEqual({
      name: 'p',
      reason: 'Scheduled',
      message: 'Successfully assigned a/p to n2',
    })
  })

  test('one that fits nowhere is told why, and goes as soon as there is room', async () => {
    await using scheduler = await startScheduler([node('n1'), pod('big', { cpu: '9' })])
    await until(() => scheduler.told.length > 0)

    const message =
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.'
    expect(scheduler.told[0]).toEqual({ name: 'big', reason: 'FailedScheduling', message })
    await until(() => scheduler.client.objects(pods)[0]!.status?.conditions !== undefined)
    expect(scheduler.client.objects(pods)[0]!.status?.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
    ])

    const large = node('n2')
    large.status!.allocatable = { cpu: '16', pods: '10' }
    await scheduler.client.create({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }, large)
    await until(() => scheduler.nodeOf('big') === 'n2')
  })

  test('pods of other schedulers and pods with gates are left alone', async () => {
    const others = [
      pod('other', { schedulerName: 'default-scheduler' }),
      pod('gated', { schedulingGates: [{ name: 'g' }] }),
    ]
    await using scheduler = await startScheduler([node('n1'), ...others, pod('p')])

    await until(() => scheduler.nodeOf('p') !== undefined)

    expect([scheduler.nodeOf('other'), scheduler.nodeOf('gated')]).toEqual([undefined, undefined])
  })

  test('they need no KubeVirt in their cluster', async () => {
    const absent = ['virtualmachines', 'virtualmachineinstances']
    await using scheduler = await startScheduler([node('n1'), pod('p')], '', absent)

    await until(() => scheduler.nodeOf('p') !== undefined)

    expect(scheduler.nodeOf('p')).toBe('n1')
  })

  test('no node is promised twice', async () => {
    const many = Array.from({ length: 12 }, (_, index) => pod(`p${index}`))
    await using scheduler = await startScheduler([node('n1'), node('n2'), ...many])
    await until(() => scheduler.told.filter(({ reason }) => reason === 'FailedScheduling').length >= 4)

    const bound = many.map(({ metadata }) => scheduler.nodeOf(metadata.name)).filter((name) => name !== undefined)

    expect(bound.filter((name) => name === 'n1')).toHaveLength(4)
    expect(bound.filter((name) => name === 'n2')).toHaveLength(4)
  })

  test('a more important pod takes the place of a lesser one', async () => {
    const lesser = pod('lesser', { cpu: '4', nodeName: 'n1', priority: 1 })
    await using scheduler = await startScheduler([node('n1'), lesser, pod('important', { cpu: '4', priority: 10 })])

    await until(() => scheduler.nodeOf('important') === 'n1')

    expect(scheduler.told.map(({ name, reason }) => [name, reason])).toContainEqual(['lesser', 'Preempted'])
    expect(scheduler.client.objects(pods).map(({ metadata }) => metadata.name)).toEqual(['important'])
  })

  test.each([
    ['throws', 'plugin Unruly failed at filter: boom'],
    ['loops', 'plugin Unruly failed at filter: no answer within 1000 ms'],
    ['hangs', 'plugin Unruly failed at filter: no answer within 1000 ms'],
  ])('a plugin from outside that %s costs that pod its cycle, and no other', async (name, message) => {
    await using scheduler = await startScheduler([node('n1'), pod(name, { priority: 1 }), pod('p')])

    await until(() => scheduler.nodeOf('p') === 'n1')

    expect(scheduler.told[0]).toEqual({ name, reason: 'FailedScheduling', message })
    expect(scheduler.nodeOf(name)).toBeUndefined()
  })

  test('a pod with resource claims is refused in words', async () => {
    await using scheduler = await startScheduler([node('n1'), pod('p', { resourceClaims: [{ name: 'gpu' }] })])
    await until(() => scheduler.told.length > 0)

    expect(scheduler.told[0]!.message).toContain('cannot allocate resource claims yet (gpu)')
  })
})

describe('VMs', () => {
  test('the first start makes a home', async () => {
    await using scheduler = await startScheduler([node('n1'), ...machine('vm')])

    await until(() => homeOf(scheduler.client, 'vm') === 'n1')

    expect(scheduler.nodeOf('virt-launcher-vm')).toBe('n1')
  })

  test('later starts go home, however empty other nodes are, and write nothing', async () => {
    const objects = [node('n1'), node('n2'), pod('x', { nodeName: 'n1', cpu: '3' })]
    await using scheduler = await startScheduler([...objects, ...machine('vm', { 'home.kubevirt-ts.io/node': 'n1' })])

    await until(() => scheduler.nodeOf('virt-launcher-vm') !== undefined)

    expect(scheduler.nodeOf('virt-launcher-vm')).toBe('n1')
    expect(scheduler.client.writes().filter(({ resource }) => resource === 'virtualmachines')).toEqual([])
  })

  test('required waits for a cordoned home, says why on the VM, and starts when it is back', async () => {
    const cordoned = node('n1', { unschedulable: true })
    await using scheduler = await startScheduler([
      cordoned,
      node('n2'),
      ...machine('vm', { 'home.kubevirt-ts.io/node': 'n1' }),
    ])
    await until(() => scheduler.told.some(({ reason }) => reason === 'FailedScheduling'))

    expect(scheduler.told).toContainEqual({
      name: 'vm',
      reason: 'HomeNodeCordoned',
      message: expect.stringMatching(/home node n1 is cordoned, the VM waits: uncordon it/) as unknown as string,
    })
    expect(scheduler.told.find(({ reason }) => reason === 'FailedScheduling')!.message).toMatch(
      /^0\/2 nodes are available: 1 node\(s\) didn't satisfy plugin\(s\) \[StickyVM\], 1 node\(s\) were unschedulable\./,
    )
    await until(() => scheduler.client.objects(virtualMachineInstances)[0]!.status !== undefined)
    expect(scheduler.client.objects(virtualMachineInstances)[0]!.status!.conditions).toMatchObject([
      { type: 'HomeAvailable', status: 'False', reason: 'HomeNodeCordoned' },
    ])

    const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }
    await scheduler.client.patch(nodes, { name: 'n1' }, { spec: { unschedulable: null } }, { type: 'merge' })
    await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n1')
  })

  test('a home that is forgotten wakes the VM that waits for it', async () => {
    const objects = machine('vm', { 'home.kubevirt-ts.io/node': 'n1' })
    await using scheduler = await startScheduler([node('n1', { unschedulable: true }), node('n2'), ...objects])
    await until(() => scheduler.told.some(({ reason }) => reason === 'FailedScheduling'))

    const metadata = { annotations: { 'home.kubevirt-ts.io/node': null } }
    const vm = { name: 'vm', namespace: 'a' }
    await scheduler.client.patch(virtualMachines, vm, { metadata }, { type: 'merge' })

    await until(() => homeOf(scheduler.client, 'vm') === 'n2')
  })

  test('preferred goes elsewhere when it must, and keeps its home', async () => {
    const annotations = { 'home.kubevirt-ts.io/node': 'n1', 'home.kubevirt-ts.io/policy': 'preferred' }
    await using scheduler = await startScheduler([
      node('n1', { unschedulable: true }),
      node('n2'),
      ...machine('vm', annotations),
    ])

    await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n2')

    expect(homeOf(scheduler.client, 'vm')).toBe('n1')
  })

  test('preferred takes the home over an emptier node', async () => {
    const annotations = { 'home.kubevirt-ts.io/node': 'n1', 'home.kubevirt-ts.io/policy': 'preferred' }
    const objects = [node('n1'), node('n2'), pod('x', { nodeName: 'n1', cpu: '2' })]
    await using scheduler = await startScheduler([...objects, ...machine('vm', annotations)])

    await until(() => scheduler.nodeOf('virt-launcher-vm') !== undefined)

    expect(scheduler.nodeOf('virt-launcher-vm')).toBe('n1')
  })

  test('off forgets about homes', async () => {
    const annotations = { 'home.kubevirt-ts.io/node': 'n1', 'home.kubevirt-ts.io/policy': 'off' }
    const objects = [node('n1'), node('n2'), pod('x', { nodeName: 'n1', cpu: '3' })]
    await using scheduler = await startScheduler([...objects, ...machine('vm', annotations)])

    await until(() => scheduler.nodeOf('virt-launcher-vm') !== undefined)

    expect(scheduler.nodeOf('virt-launcher-vm')).toBe('n2')
  })

  test('a home that does not exist is told with what to do', async () => {
    await using scheduler = await startScheduler([node('n2'), ...machine('vm', { 'home.kubevirt-ts.io/node': 'gone' })])
    await until(() => scheduler.told.some(({ reason }) => reason === 'FailedScheduling'))

    expect(scheduler.told.map(({ reason }) => reason)).toContain('HomeNodeMissing')
    expect(scheduler.told.find(({ reason }) => reason === 'FailedScheduling')!.message).toContain('virtctl home forget')
  })

  test('a home that somebody wrote meanwhile is not overwritten', async () => {
    const objects = [node('n1'), ...machine('vm')]
    const scheduler = await startScheduler(objects)
    await using _ = scheduler
    const end = scheduler.client.intercept(async (call) => {
      if (call.verb !== 'patch' || call.resource !== 'virtualmachines') return
      end()
      const metadata = { annotations: { 'home.kubevirt-ts.io/node': 'elsewhere' } }
      const vm = { name: 'vm', namespace: 'a' }
      await scheduler.client.patch(virtualMachines, vm, { metadata }, { type: 'merge' })
      // What the API server says of a patch with an old version.
      throw new ApiError({ code: 409, reason: 'Conflict' }, { request: 'patch' })
    })

    await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n1')
    await until(() => homeOf(scheduler.client, 'vm') !== undefined)

    expect(homeOf(scheduler.client, 'vm')).toBe('elsewhere')
  })

  test('a pod whose VMI is another one by UID is not guessed about', async () => {
    const objects = machine('vm')
    objects[1]!.metadata.uid = 'a new one'
    await using scheduler = await startScheduler([node('n1'), ...objects])
    await until(() => scheduler.told.length > 0)

    expect(scheduler.told[0]).toMatchObject({
      reason: 'FailedScheduling',
      message: expect.stringContaining('is not known (yet)') as unknown as string,
    })
    expect(scheduler.nodeOf('virt-launcher-vm')).toBeUndefined()
  })

  test('pods that receive a migration may leave the home, which stays', async () => {
    const objects = machine('vm', { 'home.kubevirt-ts.io/node': 'n1' })
    objects[2]!.metadata.labels = { 'kubevirt.io/migrationJobUID': 'x' }
    await using scheduler = await startScheduler([node('n1', { unschedulable: true }), node('n2'), ...objects])

    await until(() => scheduler.nodeOf('virt-launcher-vm') === 'n2')

    expect(homeOf(scheduler.client, 'vm')).toBe('n1')
  })

  test.each([
    ['keep', 'n1'],
    ['move', 'n2'],
  ])('after a live migration the home does as the profile says: %s', async (whenMigrated, home) => {
    const objects = machine('vm', { 'home.kubevirt-ts.io/node': 'n1' })
    const extra = `  pluginConfig: [{ name: StickyVM, args: { whenMigrated: ${whenMigrated} } }]`
    await using scheduler = await startScheduler([node('n1'), node('n2'), ...objects, pod('later')], extra)
    const vmi = { name: 'vm', namespace: 'a' }
    const status = { nodeName: 'n2', migrationState: { completed: true, targetNode: 'n2' } }
    await scheduler.client.patch(virtualMachineInstances, vmi, { status }, { type: 'merge' })

    if (whenMigrated === 'move') await until(() => homeOf(scheduler.client, 'vm') === 'n2')
    await until(() => scheduler.nodeOf('later') !== undefined)

    expect(homeOf(scheduler.client, 'vm')).toBe(home)
  })
})
