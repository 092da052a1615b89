import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { persistentVolumeClaims, pods, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import { isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import { vm, vmi, withMemory, withName, withPersistentVolumeClaim, withRunStrategy } from '@kubevirt-ts/libvmi'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { ControlPlane } from './control-plane.ts'
import { until } from './history.ts'

const namespace = 'default'
const strikes = 5

const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}-${at}`)

/** etcd is killed again and again while guests start: each VM comes to one guest with one pod. */
export async function killedEtcd(plane: ControlPlane, machines: number): Promise<string> {
  const names = named('killed', machines)
  const made = Promise.all(names.map((name) => make(name, plane.client)))
  for (let strike = 0; strike < strikes; strike++) await plane.strike('etcd')
  await made
  await allRun(names, plane.client)
  return `${machines} VMs while etcd was killed ${strikes} times`
}

/**
 * etcd comes back as it was before some VMs were made and others removed: the cluster becomes what that state says, and
 * no claim is lost on the way.
 */
export async function restoredEtcd(plane: ControlPlane, machines: number): Promise<string> {
  const { client } = plane
  const first = named('kept', machines)
  const later = named('later', machines)
  await Promise.all(first.map((name) => make(name, client)))
  await allRun(first, client)
  const backup = join(plane.folder, 'backup')
  await plane.strike('both', (data) => cp(data, backup, { recursive: true }))
  const removed = first.slice(0, Math.ceil(machines / 4))
  await Promise.all([...later.map((name) => make(name, client)), ...removed.map((name) => remove(name, client))])
  await allRun([...first.filter((name) => !removed.includes(name)), ...later], client)
  await plane.strike('both', async (data) => {
    await rm(data, { recursive: true })
    await cp(backup, data, { recursive: true })
  })
  await allRun(first, client)
  const { items: claims } = await client.list(persistentVolumeClaims, { namespace })
  const lost = first.filter((name) => !claims.some(({ metadata }) => metadata.name === name))
  if (lost.length > 0) throw new Error(`claims are lost: ${lost.join(', ')}`)
  // What is made now is only found by who looks at the present state.
  await make('after', client)
  await allRun([...first, 'after'], client)
  return `${machines} VMs over a backup that was put back`
}

/** A VM with a disk on a claim. Asked again while the server cannot answer. */
async function make(name: string, client: KubeClient): Promise<void> {
  const template = vmi(withName(name), withPersistentVolumeClaim('root', name), withMemory('64Mi'))
  const machine = vm(template, withRunStrategy('Always'))
  await insist(() => client.create(persistentVolumeClaims, claim(name)), isAlreadyExists)
  const status = { phase: 'Bound', capacity: { storage: '1Gi' } }
  await insist(
    () =>
      client.patch(persistentVolumeClaims, { namespace, name }, { status }, { type: 'merge', subresource: 'status' }),
    isNotFound,
  )
  await insist(() => client.create(virtualMachines, { ...machine, metadata: { name, namespace } }), isAlreadyExists)
}

const claim = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})

const remove = (name: string, client: KubeClient): Promise<void> =>
  insist(() => client.delete(virtualMachines, { namespace, name }), isNotFound)

async function insist(ask: () => Promise<unknown>, isDone: (error: unknown) => boolean): Promise<void> {
  let last: unknown
  await until(
    async () => {
      try {
        await ask()
        return true
      } catch (error) {
        last = error
        return isDone(error)
      }
    },
    () => `asked in vain: ${String(last)}`,
  )
}

/** These VMs and no others have a guest each, with a pod that runs. */
async function allRun(names: readonly string[], client: KubeClient): Promise<void> {
  let told = ''
  await until(
    async () => {
      try {
        const [guests, launchers] = await Promise.all([
          client.list(virtualMachineInstances, { namespace }),
          client.list(pods, { namespace, labelSelector: 'kubevirt.io=virt-launcher' }),
        ])
        const running = guests.items.filter(({ status }) => status?.phase === 'Running')
        const alive = launchers.items.filter(({ status }) => status?.phase === 'Running')
        told = `${guests.items.length} guests, ${running.length} run, ${alive.length} pods run, ${names.length} wanted`
        const isComplete = names.every((name) => running.some(({ metadata }) => metadata.name === name))
        return isComplete && guests.items.length === names.length && alive.length === names.length
      } catch {
        return false
      }
    },
    () => told,
    300_000,
  )
}

/** Takes away what these scenarios left, so that the next begins with an empty cluster. */
export async function clear(client: KubeClient): Promise<void> {
  const { items } = await client.list(virtualMachines, { namespace })
  await Promise.all(items.map(({ metadata }) => remove(metadata.name, client)))
  await allRun([], client)
}
