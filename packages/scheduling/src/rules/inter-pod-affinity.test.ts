import { expect, test } from '@jest/globals'
import { interPodAffinity } from '../index.ts'
import { ask, node, nowhere, pod } from '../testing/ask.ts'

const nodes = [node('n1', { labels: { zone: 'a' } }), node('n2', { labels: { zone: 'b' } })]
const term = (app: string) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app } } })
const near = (app: string) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
})
const far = (app: string) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
})

test('affinity needs such a pod in the domain', () => {
  const pods = [pod('x', { nodeName: 'n1' }, { app: 'db' })]
  expect(ask(interPodAffinity, pod('p', near('db')), { nodes, pods })).toEqual({
    n1: 'ok',
    n2: `${nowhere}: node(s) didn't match pod affinity rules`,
  })
})

test('the first of its group may go anywhere', () => {
  expect(ask(interPodAffinity, pod('p', near('db'), { app: 'db' }), { nodes })).toEqual({ n1: 'ok', n2: 'ok' })
})

test('anti-affinity keeps away, from both sides', () => {
  const pods = [pod('x', { nodeName: 'n1', ...far('web') }, { app: 'db' })]
  expect(ask(interPodAffinity, pod('p', far('db')), { nodes, pods })).toEqual({
    n1: "Unschedulable: node(s) didn't match pod anti-affinity rules",
    n2: 'ok',
  })
  expect(ask(interPodAffinity, pod('p', {}, { app: 'web' }), { nodes, pods })).toEqual({
    n1: "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules",
    n2: 'ok',
  })
})

test('namespaces may be chosen by their labels', () => {
  const other = { ...pod('x', { nodeName: 'n1' }, { app: 'db' }) }
  other.metadata.namespace = 'b'
  const wanted = pod('p', {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { ...term('db'), namespaceSelector: { matchLabels: { team: 'x' } } },
        ],
      },
    },
  })
  const objects = { nodes, pods: [other], namespaces: { a: {}, b: { team: 'x' } } }
  expect(ask(interPodAffinity, wanted, objects)).toMatchObject({ n1: 'ok' })
  expect(ask(interPodAffinity, wanted, { ...objects, namespaces: { a: {}, b: {} } })).toMatchObject({
    n1: expect.stringContaining('affinity'),
  })
})
