import { expect, test } from '@jest/globals'
import { kubeVirts, pods, secrets, virtualMachineInstances } from '@kubevirt-ts/api'
import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { vm, vmi, withContainerDisk, withMemory, withRunStrategy, withUid } from '@kubevirt-ts/libvmi'
import { createRegistry, parseOptions } from '@kubevirt-ts/service'
import { ClusterConfig } from '@kubevirt-ts/virt-config'
import { createInformers } from '../src/informers.ts'
import { lead } from '../src/leader.ts'
import { createMetrics } from '../src/metrics.ts'
import { options as definitions } from '../src/options.ts'

const kubeVirt = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec: { configuration: { developerConfiguration: { useEmulation: true, featureGates: ['DirectContainerDisk'] } } },
}

/** Waits for the first state of a collection in which an object is as wanted. */
async function until<T extends KubeObject>(
  client: FakeClient,
  kind: ResourceType<T>,
  holds: (object: T) => boolean,
): Promise<T> {
  const known = client.objects(kind).find(holds)
  if (known !== undefined) return known
  const abort = new AbortController()
  try {
    for await (const { object } of client.watch(kind, { resourceVersion: '0', signal: abort.signal })) {
      if (holds(object)) return object
    }
  } finally {
    abort.abort()
  }
  throw new Error(`the watch of ${kind.plural} ended`)
}

test('a leader runs every controller: a VM becomes a pod, certificates and status follow', async () => {
  const guest = vm(
    vmi(withContainerDisk('root', 'registry.example/disk:1'), withMemory('64Mi')),
    withUid('vm'),
    withRunStrategy('Always'),
  )
  const client = fakeClient([kubeVirt, guest])
  const log = silentLog()
  const informers = createInformers(client, 'kubevirt', log)
  const config = new ClusterConfig({ kubeVirts: informers.kubeVirts, namespace: 'kubevirt' })
  const options = parseOptions(definitions, ['--launcher-image', 'registry.example/virt-launcher:v1'], {})
  const registry = createRegistry('virt-controller')
  const abort = new AbortController()
  for (const informer of Object.values(informers)) informer.start(abort.signal)
  const leading = lead(
    { client, informers, config, metrics: createMetrics(registry), registry, options, log },
    abort.signal,
  )

  const pod = await until(client, pods, ({ metadata }) => metadata.labels?.['kubevirt.io'] === 'virt-launcher')
  expect(pod.spec.initContainers).toBeUndefined()
  await until(client, virtualMachineInstances, ({ status }) => status?.phase === 'Scheduling')
  await until(client, secrets, ({ metadata }) => metadata.name === 'kubevirt-virt-handler-certs')
  const status = (await until(client, kubeVirts, (object) => object.status?.phase !== undefined)).status
  expect(status).toMatchObject({ phase: 'Deploying', observedKubeVirtVersion: 'v1' })

  abort.abort()
  await leading
  expect(await registry.metrics()).toContain(
    'kubevirt_vmi_phase_transition_time_from_creation_seconds_count{phase="Scheduling"} 1',
  )
})
