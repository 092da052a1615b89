import { expect, test } from '@jest/globals'
import { pods, virtualMachineInstances as vmis, virtualMachines as vms } from '@kubevirt-ts/api'
import type { Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { isConflict, isInvalid, isNotFound } from '../api-error.ts'
import { fakeClient } from './fake-client.ts'

const vmi = (name: string, extra: object = {}) =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace: 'default', ...extra },
    spec: { domain: {} },
  }) as unknown as VirtualMachineInstance

const reference = { namespace: 'default', name: 'a' }

test('a stale update is a conflict', async () => {
  const client = fakeClient([vmi('a')])
  const seen = await client.get(vmis, reference)
  await client.update(vmis, { ...seen, metadata: { ...seen.metadata, labels: { x: '1' } } })

  const error = await client
    .update(vmis, { ...seen, metadata: { ...seen.metadata, labels: { x: '2' } } })
    .catch((e: unknown) => e)

  expect(isConflict(error)).toBe(true)
})

test('a merge patch that names an older version is a conflict', async () => {
  const client = fakeClient([vmi('a')])
  const { metadata } = await client.get(vmis, reference)
  const labelled = (x: string, resourceVersion?: string) =>
    client.patch(vmis, reference, { metadata: { labels: { x }, resourceVersion } }, { type: 'merge' })
  await labelled('1', metadata.resourceVersion)

  const error = await labelled('2', metadata.resourceVersion).catch((e: unknown) => e)

  expect(isConflict(error)).toBe(true)
  await expect(labelled('3')).resolves.toMatchObject({ metadata: { labels: { x: '3' } } })
})

test('a JSON patch whose test fails changes nothing', async () => {
  const client = fakeClient([vmi('a')])
  const patch = [
    { op: 'add', path: '/metadata/labels', value: { x: '1' } },
    { op: 'test', path: '/spec/domain', value: { cpu: {} } },
  ]

  const error = await client.patch(vmis, reference, patch, { type: 'json' }).catch((e: unknown) => e)

  expect(isInvalid(error)).toBe(true)
  expect((await client.get(vmis, reference)).metadata.labels).toBeUndefined()
})

test('an object with finalizers stays until the last one is removed', async () => {
  const client = fakeClient([vmi('a', { finalizers: ['f'] })])

  await client.delete(vmis, reference)
  expect((await client.get(vmis, reference)).metadata.deletionTimestamp).toBeDefined()
  await client.patch(vmis, reference, { metadata: { finalizers: null } }, { type: 'merge' })

  await expect(client.get(vmis, reference)).rejects.toThrow('not found')
  expect(isNotFound(await client.get(vmis, reference).catch((e: unknown) => e))).toBe(true)
})

test('status has its own door where the kind has the subresource', async () => {
  const vm = { ...vmi('a'), kind: 'VirtualMachine' } as unknown as VirtualMachine
  const client = fakeClient([vm])
  const seen = await client.get(vms, reference)
  const changed = { ...seen, status: { ready: true }, metadata: { ...seen.metadata, labels: { x: '1' } } }

  await client.update(vms, changed)
  expect(await client.get(vms, reference)).toMatchObject({ metadata: { labels: { x: '1' } } })
  expect((await client.get(vms, reference)).status).toBeUndefined()

  await client.patch(vms, reference, { status: { ready: true } }, { type: 'merge', subresource: 'status' })
  expect((await client.get(vms, reference)).status).toEqual({ ready: true })
})

test('a watch tells changes from a version on, and a lost selection as a deletion', async () => {
  const client = fakeClient([vmi('a', { labels: { on: '1' } })])
  const { metadata } = await client.list(vmis)
  const events: string[] = []
  const abort = new AbortController()
  const watching = (async () => {
    const watch = client.watch(vmis, { ...metadata, labelSelector: 'on in (1, 2)', signal: abort.signal })
    for await (const { type, object } of watch) events.push(`${type} ${object.metadata.name}`)
  })()

  await client.create(vmis, vmi('b', { labels: { on: '2' } }))
  await client.create(vmis, vmi('c'))
  await client.patch(vmis, reference, { metadata: { labels: { on: null } } }, { type: 'merge' })
  await client.delete(vmis, { namespace: 'default', name: 'b' })
  await new Promise(setImmediate)
  abort.abort()
  await watching

  expect(events).toEqual(['ADDED b', 'DELETED a', 'DELETED b'])
})

test('an interceptor can make calls fail, and writes are recorded', async () => {
  const client = fakeClient()
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'p-', name: '', namespace: 'default' },
  } as unknown as Pod
  const stop = client.intercept(() => {
    throw new Error('storm')
  })
  await expect(client.create(pods, pod)).rejects.toThrow('storm')
  stop()

  const made = await client.create(pods, pod)

  expect(made.metadata.name).toMatch(/^p-.{5}$/)
  expect(client.writes().map(({ verb }) => verb)).toEqual(['create', 'create'])
})
