import { expect } from '@jest/globals'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getVmi, kubectl, launcherOf, vmiInPhase } from '../framework/kubectl.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { root } from '../framework/tools.ts'
import { devicesScenarios } from './devices.ts'
import { datagramScenario } from './guests/datagrams.ts'
import { volumesScenarios } from './guests/volumes.ts'
import { Console, virtctl } from '../framework/virtctl.ts'

const smoke = 'kubevirt-smoke-fedora'

export function guestsChapter(): void {
  const namespace = testNamespace('guests')

  scenario("a user's cirros manifest works unchanged, and virtctl start begins it", async () => {
    await kubectl('apply', '-n', namespace, '-f', `${root}e2e/examples/vm-cirros.yaml`)
    await eventually('the VM is Stopped', async () => {
      const status = await kubectl(
        'get',
        'vm',
        'vm-cirros',
        '-n',
        namespace,
        '-o',
        'jsonpath={.status.printableStatus}',
      )
      ensure(status === 'Stopped', `it is ${status}`)
    })
    expect(await readFile(`${root}e2e/examples/vm-cirros.yaml`, 'utf8')).toContain('running: false')
    await virtctl('start', 'vm-cirros', '-n', namespace)
    const vmi = await vmiInPhase(namespace, 'vm-cirros', 'Running', { timeoutMs: 120_000 })
    const pod = await launcherOf(namespace, vmi.metadata?.uid ?? '')
    await eventually('the guest ran its user data', async () => {
      const log = await kubectl('-n', namespace, 'logs', pod.metadata.name ?? '', '-c', 'guest-console-log')
      ensure(log.includes('printed from cloud-init userdata'), 'its console does not show it')
    })
    await kubectl('delete', 'vm', 'vm-cirros', '-n', namespace, '--timeout=120s')
  })

  scenario(
    "a user's smoke test works unchanged: bridge, the latest image pulled always, an empty disk, a password, the UUID",
    async () => {
      await kubectl('apply', '-n', namespace, '-f', `${root}e2e/examples/${smoke}.yaml`)
      const vmi = await vmiInPhase(namespace, smoke, 'Running', { timeoutMs: 180_000 })
      const { status } = await launcherOf(namespace, vmi.metadata?.uid ?? '')
      await using console = new Console(namespace, smoke)
      await console.logIn('debian', 'changeme', 420_000)
      await console.ask('hostname; cloud-init status', /^kubevirt-smoke-fedora[^]*status: /m)
      await console.ask('lsblk -dno SIZE /dev/vdb', /^ *2G/m)
      await console.ask('sudo cat /sys/class/dmi/id/product_uuid', /c3ecdb42-282e-44c3-8266-91b99ac91261/)
      await console.ask(
        'until ip -4 -br addr show eth0 | grep /; do sleep 0.5; done',
        new RegExp(`${(status?.podIP ?? 'none').replaceAll('.', '\\.')}/24`),
      )
      await console.ask('until systemctl is-active qemu-guest-agent; do sleep 0.5; done', /^active/m)
    },
    720_000,
  )

  scenario('the guest agent tells of the system, its file systems and its users', async () => {
    await eventually('the status tells of the system', async () => {
      const { status } = await getVmi(namespace, smoke)
      ensure(status?.guestOSInfo?.id === 'debian', JSON.stringify(status?.guestOSInfo))
      ensure(
        status.conditions?.some(({ type }) => type === 'AgentConnected'),
        'no condition AgentConnected',
      )
    })
    expect(await virtctl('guestosinfo', smoke, '-n', namespace)).toContain('"guestAgentVersion"')
    expect(await virtctl('fslist', smoke, '-n', namespace)).toContain('"mountPoint": "/"')
    // Debian 13 keeps no record of logins that an agent reads, so the list may be empty; it must be one.
    expect(JSON.parse(await virtctl('userlist', smoke, '-n', namespace))).toMatchObject({ items: expect.any(Array) })
  })

  datagramScenario(namespace, smoke)

  scenario('a screenshot is a PNG of the screen', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'screen-')), 'screen.png')
    await virtctl('vnc', 'screenshot', smoke, '-n', namespace, '--file', file)
    const picture = await readFile(file)
    expect(picture.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect(picture.readUInt32BE(16)).toBeGreaterThan(300)
    await rm(dirname(file), { recursive: true })
    await kubectl('delete', 'vm', smoke, '-n', namespace, '--timeout=120s')
  })

  if (process.env['E2E_DEVICES'] !== '1') return
  volumesScenarios(namespace)
  devicesScenarios(namespace)
}
