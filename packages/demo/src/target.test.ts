import { expect, test } from '@jest/globals'
import { deliveryOf } from './target.ts'

test.each([
  ['kind-demo', { by: 'load', tool: 'kind', name: 'demo' }],
  ['k3d-my-cluster', { by: 'load', tool: 'k3d', name: 'my-cluster' }],
  ['minikube', { by: 'load', tool: 'minikube', name: 'minikube' }],
  ['production', undefined],
])('images reach the cluster of context %s by %j', (context, delivery) => {
  expect(deliveryOf(context)).toEqual(delivery)
})
