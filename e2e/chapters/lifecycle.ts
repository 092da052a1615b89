import { expect } from '@jest/globals'
import { ensure, eventually } from '../framework/eventually.ts'
import {
  apply,
  getVm,
  getVmi,
  gone,
  inLauncher,
  kubectl,
  launcherOf,
  list,
  qemuPid,
  vmiInPhase,
} from '../framework/kubectl.ts'
import { namespace as productNamespace } from '../framework/product.ts'
import { scenario } from '../framework/scenario.ts'
import { Console, virtctl, vncGreeting } from '../framework/virtctl.ts'
import { followUntilGone } from '../framework/watch.ts'
import { killOnNode, nodeOf } from '../framework/faults.ts'
import { tinyVm, webService } from '../manifests/vms.ts'
import { testNamespace } from '../framework/namespace.ts'
import type { Pod } from '@kubevirt-ts/api'

const name = 'tiny'

export function lifecycleChapter(): void {
  const namespace = testNamespace('lifecycle')

  scenario('an Always VM boots and its console shows the login prompt', async () => {
    const manifest = tinyVm({ name, namespace })
    // The guest's own web server decides whether the VM is ready.
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 2, timeoutSeconds: 5 }
    Object.assign(manifest.spec.template.spec, { readinessProbe })
    await apply(manifest)
    await vmiInPhase(namespace, name, 'Running')
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    expect(await console.ask('echo answer=$((6*7))', /answer=42/)).toContain('answer=42')
  })

  scenario('a running VM says so in its status', async () => {
    await eventually('the VMI has a node and an address', async () => {
      const { status } = await getVmi(namespace, name)
      const address = status?.interfaces?.[0]?.ipAddress ?? ''
      ensure(status?.nodeName && /^\d+\.\d+\.\d+\.\d+$/.test(address), JSON.stringify(status))
    })
    await eventually('the VM is ready', async () => {
      const vm = await getVm(namespace, name)
      ensure(vm.status?.printableStatus === 'Running' && vm.status.ready, `its status is ${JSON.stringify(vm.status)}`)
    })
  })

  scenario('the guest has its address by DHCP and reaches a service of the cluster by name', async () => {
    const [api] = await list<Pod>('pod', productNamespace, 'kubevirt.io=virt-api')
    const image = api?.spec?.containers[0]?.image ?? ''
    await apply(webService({ name: 'web', namespace, body: 'hello from a service', image }))
    await kubectl('-n', namespace, 'wait', 'pod/web', '--for=condition=Ready', '--timeout=120s')
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    // The login prompt does not wait for the lease, and a service reaches a pod a moment after it is ready.
    await console.ask('until ip -4 addr show eth0 | grep inet; do sleep 0.3; done', /inet 10\.0\.2\.2/)
    const page = `http://web.${namespace}.svc.cluster.local/`
    await console.ask(`until wget -q -O - ${page}; do sleep 0.5; done; echo`, /hello from a service/)
  })

  scenario('the serial console is also in kubectl logs', async () => {
    const { metadata } = await getVmi(namespace, name)
    const pod = await launcherOf(namespace, metadata?.uid ?? '')
    await eventually('the log shows the prompt', async () => {
      const log = await kubectl('-n', namespace, 'logs', pod.metadata.name ?? '', '-c', 'guest-console-log')
      ensure(log.includes('login:'), log.slice(-400))
    })
  })

  scenario('virtctl vnc reaches the screen of the guest', async () => {
    expect(await vncGreeting(namespace, name)).toMatch(/^RFB 003\.\d{3}\n/)
  })

  scenario('a paused guest says so and goes on when it is unpaused', async () => {
    await virtctl('pause', 'vm', name, '-n', namespace)
    await printableStatus(namespace, name, 'Paused')
    await virtctl('unpause', 'vm', name, '-n', namespace)
    await printableStatus(namespace, name, 'Running')
  })

  scenario(
    'a guest reboots when it is asked to, and when it is reset, in the same QEMU',
    async () => {
      const { metadata } = await getVmi(namespace, name)
      const pod = await launcherOf(namespace, metadata?.uid ?? '')
      const pid = await qemuPid(pod)
      const boots = new Set([await bootOf(namespace)])
      await virtctl('soft-reboot', name, '-n', namespace)
      boots.add(await anotherBoot(namespace, boots))
      await virtctl('reset', name, '-n', namespace)
      boots.add(await anotherBoot(namespace, boots))
      expect(boots.size).toBe(3)
      expect(await qemuPid(pod)).toBe(pid)
      expect((await getVmi(namespace, name)).metadata?.uid).toBe(metadata?.uid)
    },
    480_000,
  )

  scenario('virtctl stop shuts the guest down by ACPI within its grace period', async () => {
    const { metadata } = await getVmi(namespace, name)
    const pod = await launcherOf(namespace, metadata?.uid ?? '')
    const watching = followUntilGone(namespace, name, metadata?.uid)
    expect(await virtctl('stop', name, '-n', namespace)).toContain(`VM ${name} was scheduled to stop`)
    // A guest that outlives its grace period is destroyed, and has Failed.
    expect((await watching).phases.at(-1)).toBe('Succeeded')
    await gone('pod', namespace, pod.metadata.name ?? '')
    await printableStatus(namespace, name, 'Stopped')
  })

  scenario('virtctl start brings it back', async () => {
    expect(await virtctl('start', name, '-n', namespace)).toContain(`VM ${name} was scheduled to start`)
    await vmiInPhase(namespace, name, 'Running')
  })

  scenario('kubectl delete vmi of an Always VM brings a new one', async () => {
    const before = await getVmi(namespace, name)
    await kubectl('delete', 'vmi', name, '-n', namespace)
    const after = await vmiInPhase(namespace, name, 'Running', { notUid: before.metadata?.uid ?? '' })
    expect(after.metadata?.uid).not.toBe(before.metadata?.uid)
  })

  scenario('when QEMU is killed the VMI fails with a reason and the VM starts it again', async () => {
    const before = await getVmi(namespace, name)
    const pod = await launcherOf(namespace, before.metadata?.uid ?? '')
    const watching = followUntilGone(namespace, name, before.metadata?.uid)
    await inLauncher(pod, `process.kill(${await qemuPid(pod)}, 'SIGKILL')`)
    const { phases, reason } = await watching
    expect(phases.at(-1)).toBe('Failed')
    expect(reason).toBe('Crashed')
    await vmiInPhase(namespace, name, 'Running', { notUid: before.metadata?.uid ?? '' })
    await eventually('an event names the signal', async () => {
      const line = 'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}'
      const events = await kubectl('get', 'events', '-n', namespace, '-o', line)
      ensure(/Stopped The VirtualMachineInstance crashed. QEMU was ended by SIGKILL/.test(events), events)
    })
  })

  scenario('a guest does not notice that virt-handler and virt-controller are killed', async () => {
    const before = await getVmi(namespace, name)
    const pod = await launcherOf(namespace, before.metadata?.uid ?? '')
    const pid = await qemuPid(pod)
    await killOnNode(await nodeOf('virt-controller'), '/app/virt-controller.mjs')
    await killOnNode(before.status?.nodeName ?? '', '/app/virt-handler.mjs')
    await kubectl('-n', productNamespace, 'wait', 'kv/kubevirt', '--for=condition=Available', '--timeout=120s')
    await eventually('the console answers through the new virt-handler', async () => {
      await using console = new Console(namespace, name)
      await console.logIn('root', 'kubevirt', 30_000)
    })
    expect(await qemuPid(pod)).toBe(pid)
    expect((await getVmi(namespace, name)).metadata?.uid).toBe(before.metadata?.uid)
  })

  scenario('virtctl restart gives the VM a new instance', async () => {
    const before = await getVmi(namespace, name)
    await virtctl('restart', name, '-n', namespace)
    await vmiInPhase(namespace, name, 'Running', { notUid: before.metadata?.uid ?? '' })
  })

  scenario('deleting the VM removes the guest and every trace of it', async () => {
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    await gone('vmi', namespace, name)
    await eventually('no launcher pod is left', async () => {
      ensure((await list<Pod>('pod', namespace, 'kubevirt.io=virt-launcher')).length === 0, 'one is left')
    })
  })
}

const printableStatus = (namespace: string, vm: string, wanted: string) =>
  eventually(`VM ${namespace}/${vm} is ${wanted}`, async () => {
    const { status } = await getVm(namespace, vm)
    ensure(status?.printableStatus === wanted, `it is ${status?.printableStatus}`)
  })

async function bootOf(namespace: string): Promise<string> {
  await using console = new Console(namespace, name)
  await console.logIn('root', 'kubevirt')
  return (await console.ask('cat /proc/sys/kernel/random/boot_id', /[0-9a-f-]{36}/)).slice(-36)
}

/** Waits until the guest has booted again; one that goes down may still answer for a moment, or lose the line. */
const anotherBoot = (namespace: string, before: ReadonlySet<string>): Promise<string> =>
  eventually(
    'the guest has booted again',
    async () => {
      const boot = await bootOf(namespace)
      ensure(!before.has(boot), `it is still boot ${boot}`)
      return boot
    },
    120_000,
  )
