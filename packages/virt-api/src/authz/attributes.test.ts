import { expect, test } from '@jest/globals'
import { resourceAttributes } from './attributes.ts'
import { isOpen } from './open-paths.ts'

const base = '/apis/subresources.kubevirt.io/v1/namespaces/n'

test.each([
  ['PUT', `${base}/virtualmachines/a/start`, 'update', 'virtualmachines', 'start'],
  ['GET', `${base}/virtualmachineinstances/a/console`, 'get', 'virtualmachineinstances', 'console'],
  ['GET', `${base}/virtualmachineinstances/a/vnc/screenshot`, 'get', 'virtualmachineinstances', 'vnc/screenshot'],
  ['GET', `${base}/virtualmachines/a/portforward/80/tcp`, 'get', 'virtualmachines', 'portforward'],
  ['POST', `${base}/virtualmachines/a/start`, 'create', 'virtualmachines', 'start'],
])('%s %s is to %s %s/%s', (method, path, verb, resource, subresource) => {
  expect(resourceAttributes(method, path)).toEqual({
    attributes: {
      group: 'subresources.kubevirt.io',
      version: 'v1',
      namespace: 'n',
      resource,
      name: 'a',
      subresource,
      verb,
    },
  })
})

test('a template is expanded without a name', () => {
  expect(resourceAttributes('PUT', `${base}/expand-vm-spec`)).toMatchObject({
    attributes: { resource: 'expand-vm-spec', verb: 'update' },
  })
})

test.each([
  ['PUT', `${base}/secrets/a/start`, 'unknown resource type secrets'],
  ['PUT', `${base}/virtualmachines/a`, `unknown api endpoint: ${base}/virtualmachines/a`],
  ['PUT', `${base}/secrets`, `unknown api endpoint: ${base}/secrets`],
  ['BREW', `${base}/virtualmachines/a/start`, 'unknown http verb in request: BREW'],
])('%s %s is refused', (method, path, refused) => {
  expect(resourceAttributes(method, path)).toEqual({ refused })
})

test.each([
  ['/apis/subresources.kubevirt.io/v1/healthz', true],
  ['/apis/subresources.kubevirt.io/v1alpha3/guestfs', true],
  ['/apis/subresources.kubevirt.io', false],
  ['/healthz/', false],
  [`${base}/virtualmachines/a/version`, false],
])('%s is open to all: %s', (path, open) => expect(isOpen(path)).toBe(open))
