import { expect, jest, test } from '@jest/globals'
import { events, type Event, type KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { EventRecorder } from './event-recorder.ts'

const vmi: KubeObject = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { namespace: 'ns', name: 'guest', uid: 'u1', resourceVersion: '7' },
}

test('an event names its object and who tells it', async () => {
  const client = fakeClient()
  const recorder = new EventRecorder({ client, component: 'virtualmachine-controller', host: 'node1' })

  recorder.event(vmi, 'Normal', 'SuccessfulCreate', 'Created virtual machine pod')
  await recorder.flush()

  const [event] = client.objects<Event>(events)
  expect(event).toMatchObject({
    type: 'Normal',
    reason: 'SuccessfulCreate',
    count: 1,
    source: { component: 'virtualmachine-controller', host: 'node1' },
    involvedObject: { kind: 'VirtualMachineInstance', namespace: 'ns', name: 'guest', uid: 'u1' },
  })
  expect(event?.metadata).toMatchObject({ namespace: 'ns' })
  expect(event?.metadata.name).toMatch(/^guest\.[0-9a-f]{16}$/)
})

test('a repetition raises the count of the first event', async () => {
  const client = fakeClient()
  const recorder = new EventRecorder({ client, component: 'c' })

  for (let time = 0; time < 3; time++) {
    recorder.event(vmi, 'Warning', 'FailedCreate', 'no quota')
    await recorder.flush()
  }
  recorder.event(vmi, 'Warning', 'FailedCreate', 'another message')
  await recorder.flush()

  expect(client.objects<Event>(events).map(({ count, message }) => [message, count])).toEqual([
    ['no quota', 3],
    ['another message', 1],
  ])
})

test('a storm of repetitions is one write', async () => {
  const client = fakeClient()
  const recorder = new EventRecorder({ client, component: 'c' })

  for (let time = 0; time < 100; time++) recorder.event(vmi, 'Warning', 'FailedCreate', 'no quota')
  await recorder.flush()

  expect(client.writes()).toHaveLength(1)
  expect(client.objects<Event>(events)[0]?.count).toBe(100)
})

test('an event that was removed meanwhile is written anew, and one that cannot be written harms nobody', async () => {
  const client = fakeClient()
  const recorder = new EventRecorder({ client, component: 'c' })
  recorder.event(vmi, 'Normal', 'A', 'a')
  await recorder.flush()
  const [event] = client.objects<Event>(events)
  await client.delete(events, { namespace: 'ns', name: event!.metadata.name })

  const stop = client.intercept(() => {
    throw new Error('server away')
  })
  recorder.event(vmi, 'Normal', 'A', 'a')
  await recorder.flush()
  stop()
  recorder.event(vmi, 'Normal', 'A', 'a')
  await recorder.flush()

  expect(client.objects<Event>(events)).toHaveLength(1)
})

test('two processes that tell of one object in the same millisecond write two events', async () => {
  jest.useFakeTimers({ now: 1_700_000_000_000, doNotFake: ['nextTick', 'queueMicrotask'] })
  try {
    const client = fakeClient()
    for (const reason of ['ByTheFirst', 'ByTheSecond']) {
      // As in a process of its own: nothing is known of names given before.
      jest.resetModules()
      const { EventRecorder: AnotherRecorder } = await import('./event-recorder.ts')
      const recorder = new AnotherRecorder({ client, component: 'c' })
      recorder.event(vmi, 'Normal', reason, 'the same moment')
      await recorder.flush()
    }
    expect(client.objects<Event>(events).map(({ reason }) => reason)).toEqual(['ByTheFirst', 'ByTheSecond'])
  } finally {
    jest.useRealTimers()
  }
})
