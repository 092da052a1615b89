import { expect } from '@jest/globals'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, getVmi, kubectl, launcherImage, launcherOf, vmiInPhase } from '../framework/kubectl.ts'
import { scenario } from '../framework/scenario.ts'
import { watchForPhase } from '../framework/watch.ts'
import { Console } from '../framework/virtctl.ts'
import { deviceSources, devicesVm } from '../manifests/devices.ts'
import { keptStateScenario } from './devices/kept-state.ts'

const name = 'devices'
// The other form: with secure boot, which is slow under emulation.
const secureBoot = process.env['E2E_SECURE_BOOT'] === '1'
const secureBootVariable = '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c'

const userData = `#cloud-config
hostname: written-by-cloud-init
password: correct-horse
chpasswd: { expire: false }
runcmd:
  - echo "cloud-init wrote this on the $(hostname) console" > /dev/ttyS0
`

/** What a guest with a device of each kind finds. By command only: it takes minutes under emulation. */
export function devicesScenarios(namespace: string): void {
  const atConsole = async (work: (console: Console) => Promise<void>): Promise<void> => {
    await using console = new Console(namespace, name)
    await console.logIn('debian', 'correct-horse', 420_000)
    await work(console)
  }

  scenario(
    `a Debian guest boots by UEFI ${secureBoot ? 'with' : 'without'} secure boot and runs cloud-init, with what a hook sidecar added`,
    async () => {
      await apply(deviceSources({ namespace }))
      await apply(devicesVm({ name, namespace, secureBoot, sidecarImage: await launcherImage() }, userData))
      await vmiInPhase(namespace, name, 'Running', { timeoutMs: 180_000 })
      await using console = new Console(namespace, name)
      await console.see(/cloud-init wrote this on the written-by-cloud-init console/, 420_000)
      await console.logIn('debian', 'correct-horse', 120_000)
      await console.ask(`od -An -tu1 -j4 ${secureBootVariable}`, secureBoot ? /^ +1\s/m : /^ +0\s/m)
      await console.ask('cat /sys/class/dmi/id/board_vendor', /Hooked Boards/)
      await console.ask('cat /etc/hooked', /written-by-a-sidecar/)
      await console.ask('ip -4 -br addr show eth0', /198\.18\.99\.7\/24/)
    },
    840_000,
  )

  scenario(
    'the guest has its TPM, watchdog, sound card, panic device, random numbers, and disks with sizes and serials',
    () =>
      atConsole(async (console) => {
        await console.ask('ls /dev/tpm0', /^\/dev\/tpm0/m)
        // An Intel 6300ESB, for which this guest has no driver.
        await console.ask('cat /sys/bus/pci/devices/*/device', /0x25ab/)
        await console.ask('cat /sys/bus/pci/devices/*/device', /0x293e/)
        await console.ask('ls -d /sys/bus/acpi/devices/QEMU0001*', /^\/sys\/bus\/acpi\/devices\/QEMU0001:00/m)
        await console.ask('cat /sys/class/misc/hw_random/rng_available', /virtio_rng/)
        await console.ask('lsblk -dno SIZE,SERIAL /dev/disk/by-id/virtio-SCRATCH', /64M SCRATCH/)
        await console.ask('lsblk -bdno SIZE /dev/disk/by-id/virtio-HOST', /33554432/)
      }),
  )

  scenario('files of config maps, secrets, the service account and the pod are on disks, and shared by virtiofs', () =>
    atConsole(async (console) => {
      // sudo takes what is typed while it runs, so the end of the line is waited for.
      const read = async (device: string, file: string, content: RegExp): Promise<void> => {
        const line = `sudo mount ${device} /mnt && cat /mnt/${file}; echo; sudo umount /mnt; echo fini""shed`
        expect(await console.ask(line, /finished/)).toMatch(content)
      }
      await read('/dev/disk/by-id/virtio-CONFIG', 'colour', /^green/m)
      await read('/dev/disk/by-id/virtio-SECRET', 'token', /^open-sesame/m)
      await read('/dev/disk/by-id/virtio-ACCOUNT', 'namespace', new RegExp(`^${namespace}`, 'm'))
      await read('/dev/disk/by-id/virtio-DOWNWARD', 'labels', new RegExp(`kubevirt.io/vm="${name}"`))
      await read('/dev/sr0', 'unattend.xml', /<unattend\/>/)
      await read('-t virtiofs share', 'word', /shared-by-virtiofs/)
    }),
  )

  scenario('metrics of the host are on a disk and behind a channel of the guest', () =>
    atConsole(async (console) => {
      const { status } = await getVmi(namespace, name)
      const host = new RegExp(`<value>${status?.nodeName}</value>`)
      await console.ask('sudo dd if=/dev/disk/by-id/virtio-METRICS bs=4k count=1 status=none | tail -c +17', host)
      const port = '/dev/virtio-ports/org.github.vhostmd.1'
      const talk = `exec 3<>${port}; printf "GET /metrics/XML\\n\\n" >&3; head -n 4 <&3`
      await console.ask(`sudo sh -c '${talk}'`, host)
    }),
  )

  scenario(
    'a key and a password are handed to the guest by its agent; a probe in it decides whether the VM is ready',
    () =>
      atConsole(async (console) => {
        await eventually('they are handed over', async () => ensure(await has('AccessCredentialsSynchronized'), 'no'))
        await console.ask('echo handed-by-the-agent | su root -c "echo I am \\$(id -un)"', /I am root/)
        await console.ask('cat ~/.ssh/authorized_keys', /e2e@kubevirt-ts/)
        expect(await has('Ready')).toBe(false)
        await console.ask('sudo touch /run/ready; echo to""uched', /touched/)
        await eventually('the VMI is ready', async () => ensure(await has('Ready'), 'it is not'))
      }),
  )

  scenario(
    'a backup tool calls virt-freezer in the pod: the file systems of the guest are frozen, and go on',
    async () => {
      const pod = await launcherOf(namespace, (await getVmi(namespace, name)).metadata.uid ?? '')
      const freezer = (verb: string): Promise<string> => {
        const inCompute = ['-n', namespace, pod.metadata.name, '-c', 'compute', '--', '/usr/bin/virt-freezer']
        return kubectl('exec', ...inCompute, verb, '--name', name, '--namespace', namespace)
      }
      const isFrozen = async (): Promise<boolean> => (await getVmi(namespace, name)).status?.fsFreezeStatus === 'frozen'
      await freezer('--freeze')
      await eventually('the VMI says that they are frozen', async () => ensure(await isFrozen(), 'it does not'))
      await freezer('--unfreeze')
      await eventually('the VMI says so no more', async () => ensure(!(await isFrozen()), 'it does'))
      await atConsole((console) => console.ask('sudo touch /after; sync; echo writ""able', /writable/).then(() => {}))
    },
  )

  scenario(
    'a share follows its config map while the guest runs',
    async () => {
      const word = 'changed-meanwhile'
      const { items } = deviceSources({ namespace })
      const shared = items.find(({ metadata }) => metadata.name === 'shared')
      await apply({ ...shared, data: { word } })
      await atConsole(async (console) => {
        await console.ask('sudo mount -t virtiofs share /mnt; echo moun""ted', /mounted/)
        // The kubelet looks once a minute or so.
        await console.ask(`until grep ${word.slice(0, 7)} /mnt/word; do sleep 1; done`, new RegExp(word), 180_000)
      })
    },
    420_000,
  )

  scenario('a guest whose kernel panics has Failed, and its VMI says so', async () => {
    const { uid } = (await getVmi(namespace, name)).metadata
    const failed = await watchForPhase(namespace, name, 'Failed')
    await using console = new Console(namespace, name)
    await console.logIn('debian', 'correct-horse')
    await console.ask('sudo modprobe pvpanic-mmio; echo load""ed', /loaded/)
    console.type('echo c | sudo tee /proc/sysrq-trigger\n')
    await failed.at
    await eventually('an event says that it crashed', async () => {
      const about = `involvedObject.uid=${uid},reason=Stopped`
      const events = await kubectl('get', 'events', '-n', namespace, '--field-selector', about, '-o', 'json')
      ensure(events.includes('crashed'), events)
    })
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })

  keptStateScenario(namespace)

  const has = async (type: string): Promise<boolean> =>
    (await getVmi(namespace, name)).status?.conditions?.some((each) => each.type === type && each.status === 'True') ??
    false
}
