import {
  dataVolumes,
  nodes,
  persistentVolumeClaims,
  pods,
  storageClasses,
  virtualMachineInstanceMigrations as migrations,
  virtualMachineInstances as vmis,
} from '@kubevirt-ts/api'
import type {
  KubeObject,
  Pod,
  ResourceType,
  VirtualMachineInstance,
  VirtualMachineInstanceMigration,
} from '@kubevirt-ts/api'
import { Expectations, keyOf } from '@kubevirt-ts/controller'
import type { FakeClient } from '@kubevirt-ts/kubecli/testing'
import { mergeConfiguration } from '@kubevirt-ts/virt-config'
import { vmiKeyOf } from '../../src/watch/migration/controller.ts'
import type { Deps } from '../../src/watch/migration/deps.ts'
import { OwnWrites } from '../../src/watch/own-writes.ts'
import { vmiUidOf } from '../../src/watch/vmi/controller.ts'
import { eventLog, freshLister } from '../fresh-caches.ts'
import { jobUid, launcher } from '../migration-world.ts'
import { LaggingCache } from './lagging-cache.ts'

export interface Limits {
  readonly perCluster: number
  readonly perNode: number
}

/** A leader with its own memory and caches; its calls fail once it has lost its lease. */
export function leaderOf(client: FakeClient, limits: Limits, random: () => number, clock: { now: number }) {
  const now = () => clock.now
  const started = new Set<string>()
  const expectations = new Expectations({ now })
  const ownWrites = new OwnWrites(now)
  const jobs = new LaggingCache<VirtualMachineInstanceMigration>(
    () => client.objects(migrations),
    { byVmi: vmiKeyOf },
    (before, after) => {
      for (const gone of before.filter((each) => !after.some(({ metadata }) => metadata.uid === each.metadata.uid))) {
        ownWrites.forget(keyOf(gone))
        started.delete(gone.metadata.uid ?? '')
      }
    },
  )
  const launchers = new LaggingCache<Pod>(
    () => client.objects(pods),
    { byVmiUid: vmiUidOf },
    (before, after) => {
      for (const pod of after.filter((each) => !before.some(({ metadata }) => metadata.uid === each.metadata.uid))) {
        const job = jobs.list().find(({ metadata }) => metadata.uid === pod.metadata.labels?.[jobUid])
        if (job !== undefined) expectations.creationObserved(keyOf(job))
      }
    },
  )
  const guests = new LaggingCache<VirtualMachineInstance>(() => client.objects(vmis))
  let callsLeft = Infinity
  const checked = new Proxy(client, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown
      if (typeof member !== 'function') return member
      const call = member.bind(target) as (...given: unknown[]) => Promise<unknown>
      if (!['get', 'list', 'create', 'update', 'patch', 'delete'].includes(String(key))) return call
      return async (...given: unknown[]) => {
        if (callsLeft-- <= 0) throw new Error('the lease is lost')
        const answer = await call(...given)
        if (key === 'create' && random() < 0.1) throw new Error('the answer was lost')
        return answer
      }
    },
  })
  const configuration = mergeConfiguration({
    migrations: {
      parallelMigrationsPerCluster: limits.perCluster,
      parallelOutboundMigrationsPerNode: limits.perNode,
    },
  })
  const fresh = <T extends KubeObject>(resource: ResourceType<T>) => freshLister(client, resource)
  const deps: Deps = {
    client: checked,
    migrations: jobs,
    vmis: guests,
    pods: launchers,
    attachments: { get: () => undefined, list: () => [], byIndex: () => [] },
    claims: fresh(persistentVolumeClaims),
    storageClasses: fresh(storageClasses),
    dataVolumes: fresh(dataVolumes),
    settings: { launcherImage: 'launcher:v1' },
    nodes: fresh(nodes),
    namespaceLabels: () => ({}),
    configuration: () => configuration,
    render: (owner) => {
      const { metadata, spec } = launcher(owner)
      const { nodeName: _node, ...unbound } = spec
      return { metadata: { ...metadata, name: '' }, spec: unbound } as Pod
    },
    events: eventLog(),
    expectations,
    ownWrites,
    vmiWrites: new OwnWrites(now),
    started,
    now: () => new Date(clock.now),
  }
  return {
    deps,
    caches: [jobs, launchers, guests] as const,
    /** The lease ends after so many more calls. */
    loseLeaseAfter: (calls: number) => void (callsLeft = calls),
  }
}
