import { expect } from '@jest/globals'
import type { Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, inLauncher, kubectl, launcherOf, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { tinyVmi } from '../../manifests/vms.ts'

const name = 'filtered'

/**
 * What an administrator sees of a guest's processes.
 *
 * @param other a guest beside it that asks for nothing of its own
 */
export function processesScenario(namespace: string, other: string): void {
  scenario(
    "processes show by name what they are, below the monitor; a guest's libvirt logs what it asks for",
    async () => {
      const { metadata, ...vmi } = tinyVmi({ name, namespace, graceSeconds: 0 })
      const annotations = { 'kubevirt.io/libvirt-log-filters': '1:qemu.qemu_monitor' }
      await apply({ ...vmi, metadata: { ...metadata, annotations } })
      await vmiInPhase(namespace, name, 'Running')
      const launcher = await launcherFor(name)

      const parents = await parentsOf(launcher)
      expect(parents).toMatchObject({ 'virt-launcher': 'virt-launcher-m', 'qemu-system-x86': 'virt-launcher-m' })
      expect([parents['libvirtd'], parents['virtqemud']]).toContain('virt-launcher')

      await eventually('its log has what libvirt says to QEMU', async () => {
        ensure((await logOf(launcher)).includes('qemuMonitor'), 'it has not')
      })
      expect(await logOf(await launcherFor(other))).not.toContain('qemuMonitor')
      await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
    },
  )

  const launcherFor = async (vmi: string): Promise<Pod> =>
    launcherOf(namespace, (await getVmi(namespace, vmi)).metadata.uid ?? '')
  const logOf = ({ metadata }: Pod): Promise<string> =>
    kubectl('logs', '-n', namespace, metadata.name, '-c', 'compute', '--tail=-1')
}

/** What `ps` shows of a launcher's container: by each process's name its parent's. */
async function parentsOf(launcher: Pod): Promise<Record<string, string>> {
  const script = `
    const { readdirSync, readFileSync } = require('node:fs')
    const processes = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
      try {
        const [, name, parent] = /\\((.*)\\) . (\\d+)/.exec(readFileSync('/proc/' + pid + '/stat', 'utf8'))
        return [{ pid, name, parent }]
      } catch { return [] }
    })
    const nameOf = (pid) => processes.find((each) => each.pid === pid)?.name ?? ''
    console.log(JSON.stringify(Object.fromEntries(processes.map(({ name, parent }) => [name, nameOf(parent)]))))`
  return JSON.parse(await inLauncher(launcher, script)) as Record<string, string>
}
