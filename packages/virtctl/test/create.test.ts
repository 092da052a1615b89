import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { virtctl } from './command-line.ts'

describe('create', () => {
  const created = async (...argv: string[]) => {
    const { code, out, err } = await virtctl('create', ...argv)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return parse(out)
  }

  test('a VM boots from its image and is told of its user', async () => {
    const vm = await created('vm', '--name=a', '--volume-containerdisk=src:quay.io/x:v1', '--user=alice', '--ssh-key=k')
    expect(vm).toMatchObject({ kind: 'VirtualMachine', metadata: { name: 'a' }, spec: { runStrategy: 'Always' } })
    expect(vm.spec.template.spec).toEqual({
      domain: { memory: { guest: '512Mi' }, devices: {}, resources: {} },
      terminationGracePeriodSeconds: 180,
      volumes: [
        { name: 'a-containerdisk-1', containerDisk: { image: 'quay.io/x:v1' } },
        {
          name: 'cloudinitdisk',
          cloudInitNoCloud: { userData: '#cloud-config\nuser: alice\nssh_authorized_keys:\n  - k' },
        },
      ],
    })
  })

  test('what is imported may say the instance type; an order of booting is kept', async () => {
    const vm = await created(
      'vm',
      '--volume-import=type:ds,src:i/fedora,name:root',
      '--volume-pvc=src:data,bootorder:1',
    )
    expect(vm.spec.dataVolumeTemplates[0].spec.sourceRef).toEqual({
      kind: 'DataSource',
      namespace: 'i',
      name: 'fedora',
    })
    expect(vm.spec.instancetype).toEqual({ inferFromVolume: 'data', inferFromVolumeFailurePolicy: 'Ignore' })
    expect(vm.spec.template.spec.domain.devices.disks).toEqual([
      { name: 'data', bootOrder: 1, disk: { bus: 'virtio' } },
    ])
  })

  test('a named instance type says the memory; inference can be switched off', async () => {
    const vm = await created(
      'vm',
      '--instancetype=virtualmachineinstancetype/small',
      '--volume-pvc=src:d',
      '--infer-preference=false',
    )
    expect(vm.spec.instancetype).toEqual({ kind: 'VirtualMachineInstancetype', name: 'small' })
    expect(vm.spec.preference).toBeUndefined()
    expect(vm.spec.template.spec.domain.memory).toBeUndefined()
  })

  test('credentials come from secrets', async () => {
    const vm = await created('vm', '--access-cred=type:ssh,src:keys,method:ga,user:alice')
    expect(vm.spec.template.spec.accessCredentials).toEqual([
      {
        sshPublicKey: {
          source: { secret: { secretName: 'keys' } },
          propagationMethod: { qemuGuestAgent: { users: ['alice'] } },
        },
      },
    ])
  })

  test('instance types, preferences and clones', async () => {
    expect(await created('instancetype', '--name=i', '--cpu=2', '--memory=1Gi', '--gpu=devicename:v/g')).toEqual({
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClusterInstancetype',
      metadata: { name: 'i' },
      spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' }, gpus: [{ name: 'gpu0', deviceName: 'v/g' }] },
    })
    expect(await created('preference', '--name=p', '--cpu-topology=sockets', '--namespaced')).toMatchObject({
      kind: 'VirtualMachinePreference',
      spec: { cpu: { preferredCPUTopology: 'sockets' } },
    })
    const clone = await created('clone', '--source-name=a', '--new-mac-address=eth0:02:00:00:00:00:01')
    expect(clone.spec).toEqual({
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' },
      newMacAddresses: { eth0: '02:00:00:00:00:01' },
    })
  })

  test.each([
    [['vm', '--run-strategy=Never'], /invalid RunStrategy "Never"/],
    [['vm', '--volume-import=type:http,url:http://x'], /size must be specified/],
    [['vm', '--volume-import=type:tape'], /type tape is not known/],
    [['vm', '--volume-pvc=colour:blue'], /colour:blue is not known; use src/],
    [['vm', '--infer-instancetype'], /can not be inferred/],
    [['vm', '--cloud-init=cd'], /use nocloud, configdrive or none/],
    [['vm', '--access-cred=type:password,src:s,method:nocloud'], /only be set by method ga/],
    [['vm', '--memory=much'], /"--memory" flag: much is no amount; write for example 512Mi/],
    [['instancetype', '--cpu=1', '--memory=1Gi '], /is no amount/],
    [['instancetype', '--memory=1Gi'], /"cpu" not set/],
    [['clone'], /"source-name" not set/],
  ])('%j is refused', async (argv, message) => {
    expect(await virtctl('create', ...argv)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) })
  })
})
