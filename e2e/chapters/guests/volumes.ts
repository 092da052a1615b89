import { expect } from '@jest/globals'
import { forgetClaims } from '../../framework/claims.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVm, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console, virtctl, virtctlWithin } from '../../framework/virtctl.ts'
import { claimOnAllNodes, folderOnAllNodes } from '../../manifests/claims.ts'
import { kernelVm, tinyVmi } from '../../manifests/vms.ts'

const base = 'base'
const dump = 'dump'
const name = 'kernel'

/** Volumes that a guest has beside others, and one that the product writes. */
export function volumesScenarios(namespace: string): void {
  const atConsole = async (guest: string, work: (console: Console) => Promise<unknown>): Promise<void> => {
    await vmiInPhase(namespace, guest, 'Running', { timeoutMs: 120_000 })
    await using console = new Console(namespace, guest)
    await console.logIn('root', 'kubevirt', 240_000)
    await work(console)
  }

  scenario(
    'a guest of a kernel image alone has a config drive, and a claim on which nothing stays that it writes',
    async () => {
      await apply(claimOnAllNodes({ name: base, namespace, size: '32Mi' }))
      const { spec, ...vmi } = tinyVmi({ name: 'writer', namespace, graceSeconds: 0 })
      Object.assign(spec.domain.devices, {
        disks: [...spec.domain.devices.disks, { name: base, disk: { bus: 'virtio' } }],
      })
      const volumes = [...spec.volumes, { name: base, persistentVolumeClaim: { claimName: base } }]
      await apply({ ...vmi, spec: { ...spec, volumes } })
      await atConsole('writer', (console) => console.ask(writes('kept'), /written/))
      await kubectl('delete', 'vmi', 'writer', '-n', namespace, '--timeout=120s')

      await apply(kernelVm({ name, namespace, graceSeconds: 0 }, { drive: 'told-by-the-drive', claimName: base }))
      await atConsole(name, async (console) => {
        await console.ask('cat /sys/block/vda/serial; echo', /^DRIVE/m)
        const shows = 'mount -t iso9660 -o ro /dev/vda /mnt && cat /mnt/openstack/latest/user_data; echo'
        await console.ask(shows, /^told-by-the-drive/m)
        await console.ask('head -c 4 /dev/vdb; echo', /^kept/m)
        await console.ask(writes('gone'), /written/)
        await console.ask('head -c 4 /dev/vdb; echo', /^gone/m)
      })
      const { metadata } = await vmiInPhase(namespace, name, 'Running')
      await virtctl('restart', name, '-n', namespace)
      await vmiInPhase(namespace, name, 'Running', { notUid: metadata?.uid ?? '', timeoutMs: 120_000 })
      await atConsole(name, (console) => console.ask('head -c 4 /dev/vdb; echo', /^kept/m))
    },
    900_000,
  )

  scenario(
    'the memory of a running guest is dumped to a claim, and the guest goes on',
    async () => {
      await apply(claimOnAllNodes({ name: dump, namespace, size: '512Mi' }))
      const { metadata, status } = await vmiInPhase(namespace, name, 'Running')
      await virtctlWithin(500_000, 'memory-dump', 'get', name, '-n', namespace, `--claim-name=${dump}`)
      const file = await eventually('the dump is there', async () => {
        const asked = (await getVm(namespace, name)).status?.memoryDumpRequest
        ensure(asked?.phase === 'Completed' && asked.fileName, JSON.stringify(asked))
        return asked.fileName
      })
      const path = `${folderOnAllNodes({ name: dump, namespace })}/${file}`
      expect(await onNode(status?.nodeName ?? '', 'head', '-c', '4', path)).toBe('\u007fELF')
      await atConsole(name, (console) => console.ask('echo st""ill', /still/))
      expect((await vmiInPhase(namespace, name, 'Running')).metadata?.uid).toBe(metadata?.uid)

      await virtctl('memory-dump', 'remove', name, '-n', namespace)
      await eventually('the VM has it no more', async () => {
        const { spec, status: now } = await getVm(namespace, name)
        const isLeft = spec.template?.spec?.volumes?.some((volume) => volume.name === dump) === true
        ensure(now?.memoryDumpRequest === undefined && !isLeft, JSON.stringify(now?.memoryDumpRequest))
      })
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
      await forgetClaims(namespace, base, dump)
    },
    600_000,
  )
}

/** Types four letters onto the second disk. Without one, dd would make a file of its name. */
const writes = (word: string): string =>
  `[ -b /dev/vdb ] && printf ${word} | dd of=/dev/vdb conv=fsync && echo wri""tten`
