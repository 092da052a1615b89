import { expect, it } from '@jest/globals'
import { placeUnder } from './destination.ts'

it.each([
  ['registry.example/team', 'registry.example/team/virt-api:1', false],
  ['registry.example:5000/team/', 'registry.example:5000/team/virt-api:1', false],
  ['127.0.0.1:5000', '127.0.0.1:5000/virt-api:1', true],
  ['localhost:5000/x', 'localhost:5000/x/virt-api:1', true],
  ['http://registry.example/team/', 'registry.example/team/virt-api:1', true],
  ['https://registry.example/team', 'registry.example/team/virt-api:1', false],
  ['localhost.example/x', 'localhost.example/x/virt-api:1', false],
])('under %s an image is %s, over HTTP: %s', (registry, reference, plain) => {
  expect(placeUnder(registry, 'localhost/kubevirt-ts/virt-api:1')).toEqual({ reference, plain })
})
