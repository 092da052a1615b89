import { expect, test } from '@jest/globals'
import type { KubeVirt, KubeVirtStatus } from '@kubevirt-ts/api'
import { absentComponent, daemonSetComponent, deploymentComponent } from './components.ts'
import type { Component } from './components.ts'
import { kubeVirtStatus, splitImage } from './status.ts'

const up: Component = { name: 'virt-api', available: true, updated: true, detail: '' }
const down: Component = { ...up, available: false, detail: 'deployment virt-api has 0 of 2 replicas available' }

function statusOf(components: readonly Component[], before?: KubeVirtStatus): KubeVirtStatus {
  const kubeVirt: KubeVirt = {
    metadata: { name: 'kubevirt', namespace: 'kubevirt', generation: 3 },
    spec: {},
    ...(before === undefined ? {} : { status: before }),
  }
  return kubeVirtStatus({
    kubeVirt,
    components,
    launcherImage: 'registry.example:5000/kubevirt/virt-launcher:v1',
    architecture: 'amd64',
    outdatedWorkloads: 0,
    now: new Date('2026-01-01T00:00:00Z'),
  })
}

function conditions({ conditions: list = [] }: KubeVirtStatus): Record<string, string> {
  return Object.fromEntries(list.map(({ type, status }) => [type, status]))
}

test('with every part up the product is deployed and available', () => {
  const status = statusOf([up])
  expect(status).toMatchObject({ phase: 'Deployed', observedGeneration: 3, defaultArchitecture: 'amd64' })
  expect(status).toMatchObject({
    observedKubeVirtVersion: 'v1',
    observedKubeVirtRegistry: 'registry.example:5000/kubevirt',
  })
  expect(conditions(status)).toEqual({ Created: 'True', Available: 'True', Progressing: 'False', Degraded: 'False' })
})

test('while parts come up for the first time it is being deployed', () => {
  const status = statusOf([absentComponent('virt-handler'), up])
  expect(status.phase).toBe('Deploying')
  expect(conditions(status)).toEqual({ Created: 'True', Available: 'False', Progressing: 'True', Degraded: 'False' })
})

test('a part that goes down later makes it unavailable and degraded, by name', () => {
  const status = statusOf([down], statusOf([up]))
  expect(status.phase).toBe('Deployed')
  expect(conditions(status)).toMatchObject({ Available: 'False', Degraded: 'True' })
  expect(status.conditions?.find(({ type }) => type === 'Available')?.message).toContain('0 of 2')
})

test('a deployment is available with all its replicas, a daemon set once its nodes were counted', () => {
  const metadata = { name: 'virt-api', generation: 1 }
  const spec = { replicas: 2, selector: {}, template: { spec: { containers: [] } } }
  const counts = { observedGeneration: 1, updatedReplicas: 2 }
  expect(deploymentComponent({ metadata, spec, status: { ...counts, availableReplicas: 2 } }).available).toBe(true)
  expect(deploymentComponent({ metadata, spec, status: { ...counts, availableReplicas: 1 } }).available).toBe(false)
  expect(daemonSetComponent({ metadata }).available).toBe(false)
})

test.each([
  ['virt-launcher', '', ''],
  ['localhost/kubevirt-ts/virt-launcher:0.1.0', 'localhost/kubevirt-ts', '0.1.0'],
  ['r:5000/virt-launcher@sha256:ab', 'r:5000', 'sha256:ab'],
])('%s is from registry "%s" in version "%s"', (image, registry, version) => {
  expect(splitImage(image)).toEqual({ registry, version })
})
