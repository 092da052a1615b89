import { expect } from '@jest/globals'
import { forgetClaims } from '../../framework/claims.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { nodeOf } from '../../framework/faults.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console, virtctl } from '../../framework/virtctl.ts'
import { blockClaimOnNode } from '../../manifests/claims.ts'
import { tinyVm, tinyVmi } from '../../manifests/vms.ts'

const name = 'blocky'
const folder = '/var/lib/kubevirt-ts-e2e'

export function blockVolumeScenarios(namespace: string): void {
  scenario('devices of the node are disks of the guest: one that it starts with, one that is plugged in', async () => {
    const node = await nodeOf('virt-handler')
    const devices = [await loopDevice(node, `${namespace}-start`, 32), await loopDevice(node, `${namespace}-more`, 48)]
    const [start = '', more = ''] = devices
    await apply(blockClaimOnNode({ name: 'start', namespace, size: '32Mi', node, device: start }))
    await apply(blockClaimOnNode({ name: 'more', namespace, size: '48Mi', node, device: more }))
    const manifest = tinyVm({ name, namespace, graceSeconds: 0 })
    const { spec } = manifest.spec.template
    Object.assign(spec.domain.devices, {
      disks: [...spec.domain.devices.disks, { name: 'start', disk: { bus: 'virtio' } }],
    })
    Object.assign(spec, {
      volumes: [...spec.volumes, { name: 'start', persistentVolumeClaim: { claimName: 'start' } }],
    })
    await apply(manifest)
    await vmiInPhase(namespace, name, 'Running')
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    await console.ask(
      'cat /sys/block/vdb/size; echo on-start | dd of=/dev/vdb conv=fsync; echo wri""tten',
      /65536[^]*written/,
    )

    await virtctl('addvolume', name, '-n', namespace, '--volume-name=more')
    await console.ask('until [ -e /sys/block/sda ]; do sleep 0.3; done; cat /sys/block/sda/size', /98304/)
    await console.ask('echo on-more | dd of=/dev/sda conv=fsync; echo wri""tten', /written/)
    expect(await onNode(node, 'head', '-c', '8', start)).toBe('on-start')
    expect(await onNode(node, 'head', '-c', '7', more)).toBe('on-more')

    await virtctl('removevolume', name, '-n', namespace, '--volume-name=more')
    await console.ask('while [ -e /sys/block/sda ]; do sleep 0.3; done; echo go""ne', /gone/)
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    await forgetClaims(namespace, 'start', 'more')
    for (const device of devices) await onNode(node, 'losetup', '-d', device)
  })

  // A LUN of a device that does has no machine here: kernels without SCSI have none.
  scenario('a LUN of a device that takes no SCSI commands: QEMU refuses it, and the VMI says so', async () => {
    const lun = 'lun'
    const node = await nodeOf('virt-handler')
    const device = await loopDevice(node, `${namespace}-${lun}`, 32)
    await apply(blockClaimOnNode({ name: lun, namespace, size: '32Mi', node, device }))
    const { spec, ...vmi } = tinyVmi({ name: lun, namespace, graceSeconds: 0 })
    const disks = [...spec.domain.devices.disks, { name: lun, lun: { bus: 'scsi' } }]
    const domain = { ...spec.domain, devices: { ...spec.domain.devices, disks } }
    const volumes = [...spec.volumes, { name: lun, persistentVolumeClaim: { claimName: lun } }]
    await apply({ ...vmi, spec: { ...spec, domain, volumes } })
    const { status } = await vmiInPhase(namespace, lun, 'Failed')
    expect(status?.reason).toBe('GuestNotStarted')
    expect(status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).not.toContain('Running')
    await eventually('its condition quotes QEMU', async () => {
      const { conditions } = (await getVmi(namespace, lun)).status ?? {}
      const told = conditions?.find(({ type }) => type === 'Synchronized')
      const isTold = told?.message?.startsWith('GuestNotStarted: ') && told.message.includes('SG_IO')
      ensure(told?.status === 'False' && isTold, JSON.stringify(conditions))
    })
    await kubectl('delete', 'vmi', lun, '-n', namespace, '--timeout=120s')
    await forgetClaims(namespace, lun)
    await onNode(node, 'losetup', '-d', device)
  })
}

/** A block device of so many mebibytes. */
async function loopDevice(node: string, file: string, mebibytes: number): Promise<string> {
  const script = `mkdir -p ${folder} && truncate -s ${mebibytes}M ${folder}/${file} && losetup -f --show ${folder}/${file}`
  return (await onNode(node, 'sh', '-c', script)).trim()
}
