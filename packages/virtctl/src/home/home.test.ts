import { expect, test } from '@jest/globals'
import { virtualMachines, type KubeObject } from '@kubevirt-ts/api'
import { ApiError } from '@kubevirt-ts/kubecli'
import { fakeClient, type FakeClient } from '@kubevirt-ts/kubecli/testing'
import type { CommandContext } from '../command.ts'
import { home } from './home.ts'

const node = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } })

function vm(name: string, annotations: Record<string, string> = {}, namespace = 'a'): KubeObject {
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name, namespace, annotations } }
}

function virtctl(...objects: KubeObject[]) {
  const client = fakeClient(objects)
  const cluster = async () => ({ client, namespace: 'a' })
  return {
    client,
    home: (line: string, flags: Record<string, unknown> = {}) =>
      home.run({ cluster } as unknown as CommandContext, line.split(' '), flags),
    annotations: (name: string) =>
      client.objects(virtualMachines).find(({ metadata }) => metadata.name === name)?.metadata.annotations,
  }
}

const lives = (name: string) => ({ 'home.kubevirt-ts.io/node': name })

test('show tells home, policy and what is remembered', async () => {
  const annotations = { 'home.kubevirt-ts.io/policy': 'preferred', 'home.kubevirt-ts.io/return-to': 'n1' }
  expect(await virtctl(vm('x', { ...lives('n2'), ...annotations })).home('show x')).toBe(
    'Home:       n2\nPolicy:     preferred\nReturn to:  n1, by "home return n1"',
  )
  expect(await virtctl(vm('x')).home('show x')).toContain('none yet')
})

test('set gives a first home and a policy', async () => {
  const { home: run, annotations } = virtctl(vm('x'), node('n1'))
  await run('set x', { node: 'n1', policy: 'preferred' })

  expect(annotations('x')).toEqual({ ...lives('n1'), 'home.kubevirt-ts.io/policy': 'preferred' })
})

test('set does not change an existing home, move does', async () => {
  const { home: run, annotations } = virtctl(vm('x', lives('n1')), node('n2'))
  await expect(run('set x', { node: 'n2' })).rejects.toThrow('lives on n1 already; use "home move x --node n2"')

  await run('move x', { node: 'n2' })

  expect(annotations('x')).toEqual(lives('n2'))
})

/** At the next write on VM x somebody else was faster, and the API server says so. */
function outrun(client: FakeClient, annotations: Record<string, string>): void {
  const stop = client.intercept(async ({ verb }) => {
    if (verb !== 'patch') return
    stop()
    const reference = { name: 'x', namespace: 'a' }
    await client.patch(virtualMachines, reference, { metadata: { annotations } }, { type: 'merge' })
    throw new ApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' }, { request: 'PATCH' })
  })
}

test('a change by somebody else in between is kept, and the home is moved all the same', async () => {
  const { home: run, annotations, client } = virtctl(vm('x', lives('n1')), node('n2'))
  outrun(client, { other: 'came meanwhile' })
  await run('move x', { node: 'n2' })

  expect(annotations('x')).toEqual({ ...lives('n2'), other: 'came meanwhile' })
})

test('a home that somebody gives a VM in between is not overwritten by set', async () => {
  const { home: run, annotations, client } = virtctl(vm('x'), node('n2'))
  outrun(client, lives('n1'))
  await expect(run('set x', { node: 'n2' })).rejects.toThrow('lives on n1 already')

  expect(annotations('x')).toEqual(lives('n1'))
})

test('forget takes the home away', async () => {
  const { home: run, annotations } = virtctl(vm('x', { ...lives('n1'), other: 'stays' }))
  await run('forget x')

  expect(annotations('x')).toEqual({ other: 'stays' })
})

test('evacuate remembers the node in all namespaces, return brings the VMs back', async () => {
  const { home: run, annotations } = virtctl(vm('x', lives('n1')), vm('y', lives('n1'), 'b'), vm('z', lives('n2')))

  expect(await run('evacuate n1')).toMatch(/^2 VMs may start elsewhere, and remember n1:\n {2}a\/x\n {2}b\/y\n/)
  expect(annotations('x')).toEqual({ 'home.kubevirt-ts.io/return-to': 'n1' })
  expect(annotations('z')).toEqual(lives('n2'))

  expect(await run('return n1')).toMatch(/^2 VMs live on n1 again:/)
  expect(annotations('y')).toEqual(lives('n1'))
})

test('list is a table of the namespace, or of all', async () => {
  const { home: run } = virtctl(vm('x', lives('n1')), vm('y', {}, 'b'))

  expect(await run('list')).toBe('NAMESPACE  NAME  HOME  POLICY  RETURN-TO\na          x     n1    -       -')
  expect(await run('list', { allNamespaces: true })).toContain('\nb          y     -')
})

test.each([
  ['dance x', {}, 'use show, set, move, forget, list, evacuate, return'],
  ['show', {}, 'home show needs one VM'],
  ['evacuate', {}, 'home evacuate needs one NODE'],
  ['list x', {}, 'home list takes no name'],
  ['set x', {}, 'home set needs --node or --policy'],
  ['set x', { policy: 'always' }, '"always" is not one of required, preferred, off'],
  ['move x', {}, 'home move needs --node'],
  ['move x', { node: 'gone' }, 'there is no node gone'],
  ['show gone', {}, 'there is no VM gone in namespace a'],
])('home %s %j is refused: %s', async (line, flags, message) => {
  await expect(virtctl(vm('x')).home(line, flags)).rejects.toThrow(message)
})
