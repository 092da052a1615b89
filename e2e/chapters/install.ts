import { expect } from '@jest/globals'
import type { KubeVirt, Node, Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from '../framework/eventually.ts'
import { get, helm, kubectl, list } from '../framework/kubectl.ts'
import { scenario } from '../framework/scenario.ts'
import { tools } from '../framework/tools.ts'
import { virtctl } from '../framework/virtctl.ts'
import { install, namespace, release } from '../framework/product.ts'

export function installChapter(): void {
  scenario(
    'helm install brings everything up, and the KubeVirt resource says so',
    async () => {
      await install()
      await kubectl('-n', namespace, 'wait', 'kv/kubevirt', '--for=condition=Available', '--timeout=240s')
      const kubevirt = await get<KubeVirt>('kubevirt', namespace, 'kubevirt')
      expect(kubevirt.status?.phase).toBe('Deployed')
      expect(kubevirt.status?.observedGeneration).toBe(kubevirt.metadata?.generation)
      const conditions = Object.fromEntries(
        (kubevirt.status?.conditions ?? []).map(({ type, status }) => [type, status]),
      )
      expect(conditions).toMatchObject({ Available: 'True', Created: 'True', Progressing: 'False', Degraded: 'False' })
    },
    600_000,
  )

  scenario('helm test passes', async () => {
    expect(await helm('-n', namespace, 'test', release)).toContain('Succeeded')
  })

  scenario('no component restarted while it was installed', async () => {
    const pods = await list<Pod>('pod', namespace)
    const restarts = pods.flatMap((pod) =>
      (pod.status?.containerStatuses ?? [])
        .filter((s) => s.restartCount > 0)
        .map((s) => `${pod.metadata.name}/${s.name}`),
    )
    expect(restarts).toEqual([])
  })

  scenario('nodes are labelled with the CPU models and features that libvirt offers there', async () => {
    await eventually(
      'every node that runs guests has some',
      async () => {
        const nodes = await list<Node>('node', '', 'kubevirt.io/schedulable=true')
        ensure(nodes.length > 0, 'no node is schedulable')
        for (const { metadata } of nodes) {
          const labels = Object.keys(metadata.labels ?? {})
          for (const prefix of ['cpu-model.node.kubevirt.io/', 'cpu-feature.node.kubevirt.io/'])
            ensure(
              labels.some((label) => label.startsWith(prefix)),
              `${metadata.name} has no label ${prefix}…`,
            )
        }
      },
      120_000,
    )
  })

  scenario('kubectl explain describes a field of the VM', async () => {
    const text = await kubectl('explain', 'vm.spec.template.spec.domain.cpu')
    expect(text).toMatch(/DESCRIPTION:\s+\S+/)
    expect(text).toContain('sockets')
  })

  scenario('virtctl version reports client and server', async () => {
    const text = await virtctl('version')
    expect(text).toMatch(/Client Version/)
    expect(text).toMatch(/Server Version/)
  })

  scenario('kubectl top answers through the aggregated metrics API', async () => {
    expect(tools().cluster).not.toBe('')
    // Its availability is looked at from time to time, also by an API server that was busy then.
    await eventually('it answers', () => kubectl('get', '--raw', '/apis/metrics.k8s.io/v1beta1/nodes'))
  })
}
