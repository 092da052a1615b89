import { expect } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { forgetClaims } from '../framework/claims.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, getVmi, kubectl, list, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { Console, virtctl } from '../framework/virtctl.ts'
import { claimOnNode } from '../manifests/claims.ts'
import { tinyVm } from '../manifests/vms.ts'
import { blockVolumeScenarios } from './hotplug/block-volumes.ts'
import { cardScenarios } from './hotplug/cards.ts'
import { mediaScenarios } from './hotplug/media.ts'

const name = 'plugged'

export function hotplugChapter(): void {
  const namespace = testNamespace('hotplug')

  scenario('a claim becomes a disk of the guest, with its size and serial', async () => {
    await apply(claimOnNode({ name: 'data', namespace, size: '64Mi' }))
    await apply(claimOnNode({ name: 'later', namespace, size: '32Mi' }))
    const manifest = tinyVm({ name, namespace })
    const { spec } = manifest.spec.template
    Object.assign(spec.domain.devices, {
      disks: [...spec.domain.devices.disks, { name: 'data', serial: 'DATA', disk: { bus: 'virtio' } }],
    })
    Object.assign(spec, { volumes: [...spec.volumes, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }] })
    await apply(manifest)
    await vmiInPhase(namespace, name, 'Running')
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    // 64 MiB without what the filesystem keeps, in whole MiB, as sectors.
    await console.ask('cat /sys/block/vdb/size /sys/block/vdb/serial', /129024\s+DATA/)
  })

  scenario('virtctl addvolume plugs a disk in while the guest runs, and its status says Ready', async () => {
    await virtctl('addvolume', name, '-n', namespace, '--volume-name=later', '--serial=LATER')
    const status = await volumeInPhase(namespace, 'later', 'Ready')
    expect(status).toMatchObject({ reason: 'VolumeReady', target: 'sda' })
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    // Its kernel takes a moment to find the disk.
    const facts = 'cat /sys/block/sda/size; tail -c 5 /sys/block/sda/device/vpd_pg80; echo'
    await console.ask(`until [ -e /sys/block/sda ]; do sleep 0.3; done; ${facts}`, /63488\s+LATER/)
    await console.ask('echo wri""tten | dd of=/dev/sda conv=fsync; head -c 7 /dev/sda', /written/)
  })

  scenario('virtctl removevolume takes it out again, and nothing is left of it', async () => {
    await virtctl('removevolume', name, '-n', namespace, '--volume-name=later')
    await eventually('the volume is gone from the status', async () => {
      const { status } = await getVmi(namespace, name)
      ensure(!status?.volumeStatus?.some((each) => each.name === 'later'), JSON.stringify(status?.volumeStatus))
    })
    await eventually('no pod holds it', async () => {
      ensure((await list<Pod>('pod', namespace, 'kubevirt.io=hotplug-disk')).length === 0, 'one still does')
    })
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    // Its kernel takes a moment to let go.
    await console.ask('while [ -e /sys/block/sda ]; do sleep 0.3; done; echo go""ne', /gone/)
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    await forgetClaims(namespace, 'data', 'later')
  })

  cardScenarios(namespace)
  mediaScenarios(namespace)
  blockVolumeScenarios(namespace)
}

const volumeInPhase = (namespace: string, volume: string, phase: string) =>
  eventually(`volume ${volume} is ${phase}`, async () => {
    const { status } = await getVmi(namespace, name)
    const found = status?.volumeStatus?.find((each) => each.name === volume)
    ensure(found?.phase === phase, `it is ${JSON.stringify(found)}`)
    return found
  })
