import { expect } from '@jest/globals'
import { forgetClaims } from '../../framework/claims.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { nodeOf } from '../../framework/faults.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console, virtctl } from '../../framework/virtctl.ts'
import { claimOnNode } from '../../manifests/claims.ts'
import { tinyVmi } from '../../manifests/vms.ts'

const name = 'filling'

/** @param other a guest that runs beside it */
export function fullDiskScenario(namespace: string, other: string): void {
  scenario(
    'a guest whose volume is full stands still and says so, others go on, and with more room it goes on',
    async () => {
      const node = await nodeOf('virt-handler')
      const folder = `/var/lib/kubevirt-ts-e2e/${namespace}-${name}`
      const image = `${folder}/disk.img`
      await onNode(node, 'sh', '-c', `mkdir -p ${folder} && mount -t tmpfs -o size=8m none ${folder}`)
      await onNode(node, 'sh', '-c', `truncate -s 32M ${image} && chown 107:107 ${image}`)
      try {
        await apply(claimOnNode({ name, namespace, size: '32Mi' }))
        const manifest = tinyVmi({ name, namespace, graceSeconds: 0 })
        const { domain, volumes } = manifest.spec
        domain.devices.disks.push({ name: 'data', disk: { bus: 'virtio' } })
        Object.assign(manifest.spec, {
          nodeSelector: { 'kubernetes.io/hostname': node },
          volumes: [...volumes, { name: 'data', persistentVolumeClaim: { claimName: name } }],
        })
        await apply(manifest)
        await vmiInPhase(namespace, name, 'Running')
        await using console = new Console(namespace, name)
        await console.logIn('root', 'kubevirt')
        console.type('dd if=/dev/urandom of=/dev/vdb bs=1M count=16 conv=fsync && echo all-""written\n')
        await eventually('the VMI is paused by an error of its disk', async () => ensure(await isStuck(), 'it is not'))
        expect((await getVmi(namespace, other)).status?.phase).toBe('Running')

        await onNode(node, 'mount', '-o', 'remount,size=64m', folder)
        await virtctl('unpause', 'vmi', name, '-n', namespace)
        await console.see(/all-written/)
        await eventually('the VMI says that it goes on', async () => ensure(!(await isStuck()), 'it does not'))
        await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
      } finally {
        await kubectl('delete', 'vmi', name, '-n', namespace, '--ignore-not-found', '--timeout=120s')
        await forgetClaims(namespace, name)
        await onNode(node, 'umount', '-l', folder)
      }
    },
  )

  const isStuck = async (): Promise<boolean> =>
    (await getVmi(namespace, name)).status?.conditions?.some(
      (each) => each.type === 'Paused' && each.reason === 'PausedIOError',
    ) ?? false
}
