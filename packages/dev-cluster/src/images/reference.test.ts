import { describe, expect, it } from '@jest/globals'
import { registryReference, splitReference } from './reference.ts'

describe('the name of an image in the registry', () => {
  it.each([
    ['localhost/kubevirt-ts/virt-api:0.1.0', 'kubevirt-ts/virt-api:0.1.0'],
    ['registry:5000/kubevirt/guest:devel', 'kubevirt/guest:devel'],
    ['quay.io/kubevirt/cirros-container-disk-demo', 'kubevirt/cirros-container-disk-demo:latest'],
    ['busybox', 'library/busybox:latest'],
    ['docker.io/busybox:1', 'library/busybox:1'],
    ['kubevirt/guest', 'kubevirt/guest:latest'],
    ['localhost/x@sha256:abc', 'x@sha256:abc'],
  ])('of %s is %s', (image, reference) => {
    expect(registryReference(image)).toBe(reference)
  })

  it('comes apart into repository and tag', () => {
    expect(splitReference('kubevirt-ts/x:1')).toEqual({ repository: 'kubevirt-ts/x', tag: '1' })
    expect(splitReference('a/b@sha256:abc')).toEqual({ repository: 'a/b', tag: 'latest' })
  })
})
