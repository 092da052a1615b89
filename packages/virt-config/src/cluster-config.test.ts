import { expect, jest, test } from '@jest/globals'
import type { KubeVirt, KubeVirtConfiguration } from '@kubevirt-ts/api'
import type { InformerHandlers } from '@kubevirt-ts/controller'
import { ClusterConfig } from './cluster-config.ts'

/** KubeVirt resources that the test changes. */
function kubeVirts() {
  let known: KubeVirt[] = []
  const handlers: InformerHandlers<KubeVirt>[] = []
  return {
    list: () => known,
    on: (each: InformerHandlers<KubeVirt>) => {
      handlers.push(each)
      return () => undefined
    },
    become(...next: KubeVirt[]) {
      const before = known[0]
      known = next
      for (const each of handlers) {
        if (before === undefined) each.added?.(next[0]!)
        else if (next.length === 0) each.deleted?.(before)
        else each.updated?.(before, next[0]!)
      }
    },
  }
}

let version = 0
function kubeVirt(configuration: KubeVirtConfiguration, metadata: object = {}): KubeVirt {
  version += 1
  const common = { name: 'kubevirt', namespace: 'kubevirt', resourceVersion: String(version) }
  return { metadata: { ...common, ...metadata }, spec: { configuration } } as KubeVirt
}

test('a change is told once, and only when it changes something', () => {
  const resources = kubeVirts()
  const config = new ClusterConfig({ kubeVirts: resources })
  const onChange = jest.fn()
  config.onChange(onChange)
  expect(config.configuration().imagePullPolicy).toBe('IfNotPresent')

  resources.become(kubeVirt({ imagePullPolicy: 'Always' }))
  const seen = config.configuration()
  resources.become(kubeVirt({ imagePullPolicy: 'Always' }))

  expect(seen.imagePullPolicy).toBe('Always')
  expect(config.configuration()).toBe(seen)
  expect(onChange).toHaveBeenCalledTimes(1)
  expect(config.resourceVersion()).toBe(String(version))
})

test('an invalid configuration and a deleted resource keep the last valid state', () => {
  const resources = kubeVirts()
  const onInvalid = jest.fn()
  const config = new ClusterConfig({ kubeVirts: resources, onInvalid })
  resources.become(kubeVirt({ developerConfiguration: { featureGates: ['HostDisk'] } }))

  resources.become(kubeVirt({ developerConfiguration: { cpuAllocationRatio: -1 } }))
  expect(config.isEnabled('HostDisk')).toBe(true)
  expect(onInvalid).toHaveBeenCalledWith(expect.objectContaining({ reason: 'InvalidConfiguration' }))
  resources.become()

  expect(config.isEnabled('HostDisk')).toBe(true)
})

test('of several resources the oldest in the install namespace counts', () => {
  const resources = kubeVirts()
  const config = new ClusterConfig({ kubeVirts: resources, namespace: 'kubevirt' })

  resources.become(
    kubeVirt({ cpuModel: 'other' }, { namespace: 'other', creationTimestamp: '2026-01-01T00:00:00Z' }),
    kubeVirt({ cpuModel: 'young' }, { creationTimestamp: '2026-01-03T00:00:00Z' }),
    kubeVirt({ cpuModel: 'old' }, { creationTimestamp: '2026-01-02T00:00:00Z' }),
  )

  expect(config.configuration().cpuModel).toBe('old')
})
