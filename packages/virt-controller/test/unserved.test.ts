import { expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { reconcile } from '../src/watch/unserved/controller.ts'
import { unservedKinds } from '../src/watch/unserved/kinds.ts'
import { eventLog, freshLister } from './fresh-caches.ts'

test.each(unservedKinds.map((kind) => [kind.resource.kind, kind] as const))(
  'a %s is told once that nobody serves it, and what to do instead',
  async (name, { resource, instead }) => {
    const made = {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: name,
      metadata: { name: 'mine', namespace: 'default' },
      spec: { source: { name: 'web' } },
    } as KubeObject
    const client = fakeClient([made])
    const events = eventLog()
    const requests = { [resource.plural]: { ...freshLister(client, resource), on: () => () => undefined } }
    const deps = { client, requests, events, now: () => new Date('2026-01-01T00:00:00Z') }
    const key = `${resource.plural}/default/mine`
    await reconcile(key, deps)
    await reconcile(key, deps)
    const [told] = client.objects(resource)
    expect(told?.status?.conditions).toEqual([
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        reason: 'NotServed',
        message: expect.stringContaining(instead),
      }),
    ])
    expect(told).toMatchObject({ spec: { source: { name: 'web' } } })
    expect(events.told).toHaveLength(1)
  },
)
