import { expect } from '@jest/globals'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { tinyVm } from '../../manifests/vms.ts'
import { homeOf, inGuest, migrations, oneRunningPod, updateWorkloadsBy } from './moves.ts'

const name = 'grower'

/** A guest with room for more CPUs and memory. */
function vmWithRoom(namespace: string) {
  const vm = tinyVm({ name, namespace, graceSeconds: 0 })
  const { template } = vm.spec
  const { resources: _requests, ...domain } = template.spec.domain
  const cpu = { sockets: 1, cores: 1, threads: 1, maxSockets: 4 }
  const spec = { ...template.spec, domain: { ...domain, cpu, memory: { guest: '1Gi', maxGuest: '2Gi' } } }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** More CPUs and memory by the API alone; the guest moves for them. `E2E_MIGRATION_WAYS=1`. */
export function growthScenario(namespace: string): void {
  scenario(
    'a guest gets more CPUs and memory while it runs, by a change of its VM',
    async () => {
      await updateWorkloadsBy(['LiveMigrate'])
      try {
        await apply(vmWithRoom(namespace))
        const before = await vmiInPhase(namespace, name, 'Running')
        const boot = await bootOf(namespace)
        await change(namespace, { cpu: { sockets: 2 } })
        await eventually(
          'the VMI has two sockets',
          async () => {
            const { status } = await getVmi(namespace, name)
            ensure(status?.currentCPUTopology?.sockets === 2, JSON.stringify(status?.currentCPUTopology))
          },
          120_000,
        )
        // What the firmware says of the second of four processors: its kernel counts those at boot alone.
        await inGuest(namespace, name, (console) =>
          console.ask('cat /sys/bus/acpi/devices/LNXCPU:0[12]/status; echo seen', /\s15\s+0\s+seen/),
        )
        await change(namespace, { memory: { guest: '1536Mi' } })
        await eventually(
          'the VMI was given more memory',
          async () => {
            const { status } = await getVmi(namespace, name)
            ensure(status?.memory?.guestRequested === '1536Mi', JSON.stringify(status?.memory))
            ensure(!status?.conditions?.some(({ type }) => type === 'HotMemoryChange'), 'the change is not over')
          },
          120_000,
        )
        // A device of type 24 is virtio-mem.
        await inGuest(namespace, name, (console) =>
          console.ask('cat /sys/bus/virtio/devices/*/device; echo seen', /0x0018[^]*seen/),
        )
        const after = await getVmi(namespace, name)
        expect(after.metadata.uid).toBe(before.metadata.uid)
        expect(await bootOf(namespace)).toBe(boot)
        await eventually('its moves have succeeded', async () => {
          const phases = (await migrations(namespace)).flatMap(({ spec, status }) =>
            spec.vmiName === name ? [status?.phase] : [],
          )
          ensure(phases.length === 2 && phases.every((phase) => phase === 'Succeeded'), phases.join())
        })
        await oneRunningPod(namespace, name)
        expect((await homeOf(namespace, name)).spec.nodeName).toBe(after.status?.nodeName)
        await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
      } finally {
        await updateWorkloadsBy([])
      }
    },
    480_000,
  )
}

const change = (namespace: string, domain: object): Promise<string> =>
  kubectl(
    'patch',
    'vm',
    name,
    '-n',
    namespace,
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { template: { spec: { domain } } } }),
  )

const bootOf = (namespace: string): Promise<string> =>
  inGuest(namespace, name, async (console) => {
    const said = await console.ask('cat /proc/sys/kernel/random/boot_id', /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)
    return said.slice(-36)
  })
