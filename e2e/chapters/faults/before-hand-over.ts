import { expect } from '@jest/globals'
import type { Node, Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from '../../framework/eventually.ts'
import { killHandler } from '../../framework/faults.ts'
import {
  apply,
  getVmi,
  gone,
  inLauncher,
  kubectl,
  launcherOf,
  list,
  qemuPid,
  vmiInPhase,
} from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { namespace as productNamespace } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console } from '../../framework/virtctl.ts'
import { followUntilGone } from '../../framework/watch.ts'
import { tinyVmi } from '../../manifests/vms.ts'

/** A guest that is made while nobody can hand its VMI over; the long form is E2E_EARLY=1. */
export function beforeHandOverScenarios(namespace: string): void {
  if (process.env['E2E_EARLY'] !== '1') return

  scenario(
    'a guest is made before its VMI is handed over, stands still meanwhile, outlives virt-handler, and runs from then on',
    async () => {
      const name = 'held'
      const { pod, pid } = await heldGuest(namespace, name)
      await killHandler(pod.spec?.nodeName ?? '')
      expect(await serialLog(pod)).toBe('')
      expect((await getVmi(namespace, name)).status?.phase).toBe('Scheduling')
      expect(await qemuPid(pod)).toBe(pid)

      await scaleController(1)
      const { status } = await vmiInPhase(namespace, name, 'Running')
      expect(status?.conditions?.map(({ type }) => type)).not.toContain('Paused')
      expect(status?.phaseTransitionTimestamps?.map(({ phase }) => phase).slice(-3)).toEqual([
        'Scheduling',
        'Scheduled',
        'Running',
      ])
      await using console = new Console(namespace, name)
      await console.logIn('root', 'kubevirt')
      expect(await qemuPid(pod)).toBe(pid)
      await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
    },
    300_000,
  )

  scenario(
    'a VMI that is deleted before it was handed over never runs, and leaves nothing on its node',
    async () => {
      const name = 'dropped'
      const { pod } = await heldGuest(namespace, name)
      const node = pod.spec?.nodeName ?? ''
      expect(await mountsOf(node, pod)).toContain('container-disks/disk_0.img')
      const ending = followUntilGone(namespace, name)
      await kubectl('delete', 'vmi', name, '-n', namespace, '--wait=false')
      await scaleController(1)

      const { phases } = await ending
      expect(phases).not.toContain('Running')
      expect(phases).not.toContain('Scheduled')
      await gone('pod', namespace, pod.metadata.name)
      await eventually('nothing of it is mounted, and no record is left', async () => {
        ensure((await mountsOf(node, pod)) === '', 'something is mounted')
        const records = await onNode(node, 'sh', '-c', 'ls /var/run/kubevirt-private/*/ || true')
        const uid = pod.metadata.labels?.['kubevirt.io/created-by'] ?? ''
        ensure(!records.includes(uid), records)
      })
    },
    300_000,
  )
}

/**
 * A VMI whose pod runs while no virt-controller does. It stops before the pod can be bound, since it hands over sooner
 * than anybody could stop it.
 */
async function heldGuest(namespace: string, name: string): Promise<{ pod: Pod; pid: string }> {
  const nodes = (await list<Node>('node', '')).map(({ metadata }) => metadata.name)
  await kubectl('cordon', ...nodes)
  try {
    await apply(tinyVmi({ name, namespace, graceSeconds: 0 }))
    await vmiInPhase(namespace, name, 'Scheduling')
    await scaleController(0)
  } finally {
    await kubectl('uncordon', ...nodes)
  }
  const { metadata } = await getVmi(namespace, name)
  const pid = await eventually('its QEMU is there', async () =>
    qemuPid(await launcherOf(namespace, metadata?.uid ?? '')),
  )
  expect((await getVmi(namespace, name)).status?.phase).toBe('Scheduling')
  return { pod: await launcherOf(namespace, metadata?.uid ?? ''), pid }
}

async function scaleController(replicas: number): Promise<void> {
  await kubectl('scale', 'deployment/virt-controller', '-n', productNamespace, `--replicas=${replicas}`)
  await eventually(`${replicas} virt-controllers run`, async () => {
    const pods = await list<Pod>('pod', productNamespace, 'kubevirt.io=virt-controller')
    ensure(pods.length === replicas, `${pods.length} do`)
  })
}

/** What the guest has said; a guest that stands still says nothing. */
const serialLog = (pod: Pod): Promise<string> => {
  const file = `/var/run/kubevirt-private/${pod.metadata.labels?.['kubevirt.io/created-by']}/virt-serial0-log`
  return inLauncher(pod, `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(file)}, 'latin1'))`)
}

const mountsOf = async (node: string, pod: Pod): Promise<string> => {
  const mounts = await onNode(node, 'cat', '/proc/self/mounts')
  return mounts
    .split('\n')
    .filter((line) => line.includes(`${pod.metadata.uid}/volumes/kubernetes.io~empty-dir/`))
    .join('\n')
}
