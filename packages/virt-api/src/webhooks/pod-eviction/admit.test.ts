import { expect, test } from '@jest/globals'
import { admission } from '../../../test/admission.ts'

test('a pod that holds plugged in volumes stays while its guest is there', async () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'x',
      namespace: 'n',
      labels: { 'kubevirt.io': 'hotplug-disk' },
      ownerReferences: [{ kind: 'Pod', name: 'l', uid: '1' }],
    },
  }
  const launcher = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'l',
      namespace: 'n',
      labels: { 'kubevirt.io': 'virt-launcher' },
      annotations: { 'kubevirt.io/domain': 'a' },
    },
  }
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  expect((await admission('/pod-eviction-validate', {}, { objects: [pod, launcher, guest] })).denied).toEqual({
    code: 429,
    message: 'cannot evict hotplug pod: x associated with running vmi: a in namespace n',
  })
  expect((await admission('/pod-eviction-validate', {}, { objects: [pod, launcher] })).denied).toBeUndefined()
})
