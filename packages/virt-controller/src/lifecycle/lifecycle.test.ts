import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  apiServices,
  customResourceDefinitions,
  deployments,
  mutatingWebhookConfigurations,
  leases,
  nodes,
  secrets,
  virtualMachineInstances,
  virtualMachines,
} from '@kubevirt-ts/api'
import type { CustomResourceDefinition, KubeObject } from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { ApiError } from '@kubevirt-ts/kubecli'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vm, vmi, withUid } from '@kubevirt-ts/libvmi'
import { applyCrds } from './apply-crds.ts'
import { removeCrds } from './remove-crds.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { removeApiServices, removeWebhooks } from './remove-registrations.ts'
import { removeWorkloads } from './remove-workloads.ts'

const namespace = 'kubevirt'
const log = silentLog()

function component(name: string, availableReplicas: number): KubeObject {
  const deployment = { metadata: { name, namespace, labels: { 'kubevirt.io': name } }, status: { availableReplicas } }
  return { apiVersion: 'apps/v1', kind: 'Deployment', ...deployment } as KubeObject
}

const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'virt-api-mutator' },
  webhooks: [{ name: 'a', clientConfig: { service: { name: 'virt-api', namespace } } }],
}
const foreignWebhooks = {
  ...webhooks,
  metadata: { name: 'other' },
  webhooks: [{ name: 'b', clientConfig: { service: { name: 'x', namespace } } }],
}

function stuck<T extends KubeObject>(object: T): T {
  object.metadata.finalizers = ['kubevirt.io/virtualMachineControllerFinalize']
  return object
}

function definition(group: string, plural: string, kind: string): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  }
}

test('VMs go before their VMIs, so that none comes back', async () => {
  const client = fakeClient([component('virt-controller', 1), component('virt-api', 1), vm(vmi()), vmi(withUid('x'))])
  await removeWorkloads({ client, namespace, deadline: Date.now() + 5_000, log })

  const deletions = client.writes().filter(({ verb }) => verb === 'delete')
  expect(deletions.map(({ resource }) => resource)).toEqual(['virtualmachines', 'virtualmachineinstances'])
})

test('without any controller finalizers are taken off, webhooks first', async () => {
  const client = fakeClient([webhooks, foreignWebhooks, stuck(vm(vmi())), stuck(vmi(withUid('x')))])
  await removeWorkloads({ client, namespace, deadline: Date.now() + 60_000, log })

  expect(client.objects(virtualMachines)).toEqual([])
  expect(client.objects(virtualMachineInstances)).toEqual([])
  expect(client.objects(mutatingWebhookConfigurations).map(({ metadata }) => metadata.name)).toEqual(['other'])
})

test('a controller that serves is waited for, and what stays is named', async () => {
  const client = fakeClient([component('virt-controller', 1), component('virt-api', 1), stuck(vm(vmi()))])
  const removal = removeWorkloads({ client, namespace, deadline: Date.now(), log })

  await expect(removal).rejects.toThrow('1 VirtualMachine did not end in time: default/testvmi')
  expect(client.objects(virtualMachines)).toHaveLength(1)
  expect(client.objects(deployments)).toHaveLength(2)
})

test('registrations of this installation alone are removed, again and again', async () => {
  const api = (name: string, group: string) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { group, groupPriorityMinimum: 1, versionPriority: 1, service: { name: 'virt-api', namespace } },
  })
  const client = fakeClient([
    api('v1.subresources.kubevirt.io', 'subresources.kubevirt.io'),
    api('v1.other', 'other'),
    foreignWebhooks,
  ])
  for (let time = 0; time < 2; time++) {
    await removeWebhooks({ client, namespace, log })
    await removeApiServices({ client, namespace, log })
  }
  expect(client.objects(apiServices).map(({ metadata }) => metadata.name)).toEqual(['v1.other'])
  expect(client.objects(mutatingWebhookConfigurations)).toHaveLength(1)
})

test('certificates and marks on nodes go, marks of others stay', async () => {
  const labels = {
    'kubevirt.io/schedulable': 'true',
    'cpu-model.node.kubevirt.io/Haswell': 'true',
    'kubernetes.io/arch': 'amd64',
  }
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels, annotations: { 'kubevirt.io/heartbeat': 'x' } },
  }
  const secret = (name: string, own: boolean) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ...(own ? { labels: { 'kubevirt.io': 'certificates' } } : {}) },
  })
  const lease = (name: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: {},
  })
  const client = fakeClient([
    node,
    secret('kubevirt-ca', true),
    secret('users', false),
    ...['virt-controller', 'stickyvm-scheduler', 'another'].map(lease),
  ])
  await removeLeftovers({ client, namespace, deadline: Date.now(), log })

  expect(client.objects(nodes)[0]?.metadata.labels).toEqual({ 'kubernetes.io/arch': 'amd64' })
  expect(client.objects(secrets).map(({ metadata }) => metadata.name)).toEqual(['users'])
  expect(client.objects(leases).map(({ metadata }) => metadata.name)).toEqual(['another'])
})

test('definitions go with their objects, those of other products stay', async () => {
  const client = fakeClient([
    definition('kubevirt.io', 'virtualmachines', 'VirtualMachine'),
    definition('cdi.kubevirt.io', 'datavolumes', 'DataVolume'),
    stuck(vm(vmi())),
  ])
  await removeCrds({ client, deadline: Date.now() + 5_000, log })

  expect(client.objects(customResourceDefinitions).map(({ spec }) => spec.group)).toEqual(['cdi.kubevirt.io'])
  expect(client.objects(virtualMachines)[0]?.metadata.finalizers ?? []).toEqual([])
})

test('a definition that a busy API server did not take in time is sent again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'crds-'))
  try {
    const { metadata, spec } = definition('kubevirt.io', 'virtualmachines', 'VirtualMachine')
    const status = { conditions: [{ type: 'Established', status: 'True' }] }
    const served = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec, status }
    await writeFile(join(dir, `${metadata.name}.json`), JSON.stringify(served))
    const client = fakeClient([served])
    let sent = 0
    client.intercept(({ verb }) => {
      if (verb !== 'patch') return
      sent += 1
      if (sent === 1) throw new ApiError({ code: 504, reason: 'Timeout', message: 'too slow' }, { request: 'PATCH' })
      throw new ApiError({ code: 403, reason: 'Forbidden', message: 'nobody may' }, { request: 'PATCH' })
    })
    await expect(applyCrds({ client, dir, timeoutMs: 60_000, log })).rejects.toThrow('nobody may')
    expect(sent).toBe(2)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('a folder without definitions is named', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'crds-'))
  try {
    await writeFile(join(dir, 'notes.txt'), '')
    const applied = applyCrds({ client: fakeClient(), dir, timeoutMs: 0, log })
    await expect(applied).rejects.toThrow(`${dir} holds no definitions`)
  } finally {
    await rm(dir, { recursive: true })
  }
})
