import { expect } from '@jest/globals'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { virtctl } from '../../framework/virtctl.ts'
import { withEmptyDisk } from '../../manifests/empty-disk.ts'
import { tinyVm } from '../../manifests/vms.ts'
import { inGuest } from './moves.ts'

const name = 'carrier'

/** What a disk holds is the same byte for byte on the other node. */
export function diskScenario(namespace: string): void {
  scenario(
    'disks that live on a node move along byte for byte',
    async () => {
      await apply(withEmptyDisk(tinyVm({ name, namespace, graceSeconds: 0 })))
      await vmiInPhase(namespace, name, 'Running')
      await inGuest(namespace, name, (console) =>
        console.ask('dd if=/dev/urandom of=/dev/vdb bs=1M count=8; sync; echo written-$?-', /written-0-/),
      )
      const before = await hashesOf(namespace)
      const node = (await getVmi(namespace, name)).status?.nodeName

      const told = await virtctl('migrate', name, '-n', namespace, '--wait', '--timeout', '110')

      expect(told).toContain(`VM ${name} moved from ${node}`)
      expect((await getVmi(namespace, name)).status).toMatchObject({ migrationMethod: 'BlockMigration' })
      expect(await hashesOf(namespace)).toEqual(before)
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
    420_000,
  )
}

/** The container disk under its overlay, and the empty disk. */
const hashesOf = (namespace: string): Promise<string[]> =>
  inGuest(namespace, name, async (console) => {
    const hash = /([0-9a-f]{32}) +\/dev\/vd[ab]/
    const hashes = []
    for (const disk of ['vda', 'vdb']) hashes.push(hash.exec(await console.ask(`md5sum /dev/${disk}`, hash))?.[1] ?? '')
    return hashes
  })
