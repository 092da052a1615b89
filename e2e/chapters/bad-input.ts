import { expect } from '@jest/globals'
import type { HostDisk, Pod, VirtualMachineInstanceSpec, Volume } from '@kubevirt-ts/api'
import { diskImage } from '../framework/disk-image.ts'
import { forgetClaims } from '../framework/claims.ts'
import { ensure, eventually } from '../framework/eventually.ts'
import { handlerOn, nodeOf } from '../framework/faults.ts'
import { apply, getVm, getVmi, kubectl, launcherOf, list, refused, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { tryVirtctl } from '../framework/virtctl.ts'
import { blockClaimOnNode } from '../manifests/claims.ts'
import { tinyVm, tinyVmi } from '../manifests/vms.ts'

export function badInputChapter(): void {
  const namespace = testNamespace('bad-input')
  const name = 'bad'

  scenario('a disk without a volume is refused, and the refusal names both', async () => {
    const manifest = tinyVm({ name, namespace })
    manifest.spec.template.spec.domain.devices.disks.push({ name: 'ghost', disk: { bus: 'virtio' } })
    const refusal = await refused(manifest)
    expect(refusal).toContain('ghost')
    expect(refusal).toContain('spec.template.spec.domain.devices.disks[1].name')
  })

  scenario('a device that no node has shows in the conditions of the VMI, by name', async () => {
    const manifest = tinyVmi({ name, namespace, graceSeconds: 0 })
    Object.assign(manifest.spec.domain.devices, { gpus: [{ name: 'card', deviceName: 'e2e.test/absent' }] })
    await apply(manifest)
    await eventually('the VMI says what is missing', async () => {
      const { status } = await getVmi(namespace, name)
      const told = status?.conditions?.find(({ type }) => type === 'PodScheduled')
      const isTold = told?.status === 'False' && told.reason === 'Unschedulable'
      ensure(isTold && told.message?.includes('e2e.test/absent'), JSON.stringify(status?.conditions))
    })
    await kubectl('delete', 'vmi', name, '-n', namespace, '--timeout=120s')
  })

  scenario('an unknown field is refused by name when the user asks for strictness', async () => {
    const manifest = tinyVm({ name, namespace })
    Object.assign(manifest.spec.template.spec.domain, { procesor: {} })
    expect(await refused(manifest, '--validate=strict')).toContain('procesor')
  })

  scenario('an image that does not exist shows in the VM status, by name', async () => {
    const manifest = tinyVm({ name, namespace })
    const [volume] = manifest.spec.template.spec.volumes
    ensure(volume, 'the manifest has a volume')
    volume.containerDisk.image = 'localhost/kubevirt-ts/no-such-guest:0.1.0'
    await apply(manifest)
    await eventually('the VM says that its image cannot be pulled', async () => {
      const { status } = await getVm(namespace, name)
      ensure(/ErrImagePull|ImagePullBackOff/.test(status?.printableStatus ?? ''), `it is ${status?.printableStatus}`)
      const told = status?.conditions?.some(({ message }) => message?.includes('no-such-guest'))
      ensure(told, `no condition names the image: ${JSON.stringify(status?.conditions)}`)
    })
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })

  scenario(
    'guests that cannot be are told why by a stable word, others go on, and nothing of them is left on the node',
    async () => {
      const [large, absent, ...others] = await impossibleGuests(namespace)
      // kubelet tries for a while before anybody asks it, so this one comes first and is looked at last.
      await applyGuestOfLostDevice(namespace)
      await apply(tinyVmi({ name: 'fine', namespace, graceSeconds: 0 }))
      // Its pod makes the folder of the host disks on its node. A pod that finds none has to wait for kubelet.
      await apply(large.manifest)
      await toldWhy(large)
      const { spec } = await launcherOf(namespace, (await getVmi(namespace, 'large')).metadata.uid ?? '')
      ensure(spec.nodeName, 'whoever tells why is on a node')
      Object.assign(absent.manifest.spec, { nodeSelector: { 'kubernetes.io/hostname': spec.nodeName } })
      others.push(absent)
      await apply({ apiVersion: 'v1', kind: 'List', items: others.map(({ manifest }) => manifest) })
      for (const impossible of others) await toldWhy(impossible)
      await vmiInPhase(namespace, 'fine', 'Running')
      await eventually('the VMI of a lost device says which one', async () => {
        const { status } = await getVmi(namespace, 'lost')
        const told = status?.conditions?.find(({ reason }) => reason === 'FailedMapVolume')
        ensure(told?.status === 'False' && told.message?.includes(lostDevice), JSON.stringify(status?.conditions))
      })

      const pods = await list<Pod>('pod', namespace, 'kubevirt.io=virt-launcher')
      await kubectl('delete', 'vmi', '--all', '-n', namespace, '--timeout=120s')
      await forgetClaims(namespace, 'lost')
      await eventually('their pods are gone', async () => {
        const left = await list<Pod>('pod', namespace, 'kubevirt.io=virt-launcher')
        ensure(left.length === 0, `${left.length} are left`)
      })
      for (const node of new Set(pods.flatMap(({ spec }) => spec.nodeName ?? [])))
        await eventually(`nothing of them is left on ${node}`, async () => {
          const mounts = await mountsOf(node)
          const left = pods.filter(({ metadata }) => mounts.includes(metadata.uid ?? 'none'))
          ensure(left.length === 0, left.map(({ metadata }) => metadata.name).join())
        })
    },
    480_000,
  )

  scenario('virtctl names what it could not find, and exits with 1', async () => {
    const { code, stderr } = await tryVirtctl('start', 'nobody', '-n', namespace)
    expect(code).toBe(1)
    expect(stderr).toContain('nobody')
    expect(stderr).toMatch(/not found/i)
  })

  scenario('virtctl without an API server says which address did not answer', async () => {
    const { code, stderr } = await tryVirtctl('start', name, '-n', namespace, '--server', 'https://127.0.0.1:1')
    expect(code).toBe(1)
    expect(stderr).toContain('127.0.0.1:1')
  })
}

/** One guest for each way in which a guest cannot be, with the word by which its VMI tells. */
async function impossibleGuests(namespace: string) {
  const qcow2 = Buffer.alloc(4096, 0xff)
  qcow2.write('QFI\u00fb\u0000\u0000\u0000\u0003', 'latin1')
  const backed = Buffer.from(qcow2)
  qcow2.writeBigUInt64BE(0n, 8)
  qcow2.writeBigUInt64BE(0n, 72)
  await apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'odd', namespace }, stringData: { other: 'key' } })
  const from = (image: string): Volume => ({ name: 'root', containerDisk: { image, imagePullPolicy: 'Always' } })
  const guest = (name: string, reason: string, change: (spec: VirtualMachineInstanceSpec) => void) => {
    const manifest = tinyVmi({ name, namespace, graceSeconds: 0 })
    change(manifest.spec as unknown as VirtualMachineInstanceSpec)
    return { manifest, reason }
  }
  const withDisk = (volume: Volume) => (spec: VirtualMachineInstanceSpec) => {
    spec.domain.devices.disks?.push({ name: volume.name, disk: { bus: 'virtio' } })
    spec.volumes?.push(volume)
  }
  const images = {
    corrupt: await diskImage('corrupt', { 'disk.qcow2': qcow2 }),
    backed: await diskImage('backed', { 'disk.qcow2': backed }),
    crowded: await diskImage('crowded', { 'a.img': Buffer.alloc(512), 'b.img': Buffer.alloc(512) }),
  }
  const path = `/var/lib/kubevirt-ts-e2e/${namespace}`
  const host = (file: string, rest: Partial<HostDisk>) =>
    withDisk({ name: 'host', hostDisk: { path: `${path}/${file}`, type: 'Disk', ...rest } })
  const large = { type: 'DiskOrCreate', capacity: '100Ti' }
  return [
    guest('large', 'NoSpaceForImage', host('large.img', large)),
    guest('absent', 'ImageMissing', host('absent.img', {})),
    guest('corrupt', 'ImageNotUsable', (spec) => (spec.volumes = [from(images.corrupt)])),
    guest('backed', 'ImageRefersToFile', (spec) => (spec.volumes = [from(images.backed)])),
    guest('crowded', 'ImageNotUsable', (spec) => (spec.volumes = [from(images.crowded)])),
    guest(
      'keyless',
      'CloudInitSecretKeyMissing',
      withDisk({ name: 'seed', cloudInitNoCloud: { secretRef: { name: 'odd' } } }),
    ),
    guest('clash', 'DomainRefused', (spec) => {
      withDisk({ name: 'more', emptyDisk: { capacity: '1Mi' } })(spec)
      for (const { disk } of spec.domain.devices.disks ?? []) Object.assign(disk ?? {}, { pciAddress: '0000:00:1e.0' })
    }),
  ] as const
}

const lostDevice = '/dev/kubevirt-ts-e2e-lost'

/** A guest whose claim is for a device that its node has no more. */
async function applyGuestOfLostDevice(namespace: string): Promise<void> {
  const name = 'lost'
  const claim = { name, namespace, size: '32Mi', node: await nodeOf('virt-handler'), device: lostDevice }
  await apply(blockClaimOnNode(claim))
  const { spec, ...rest } = tinyVmi({ name, namespace, graceSeconds: 0 })
  const disks = [...spec.domain.devices.disks, { name, disk: { bus: 'virtio' } }]
  const domain = { ...spec.domain, devices: { ...spec.domain.devices, disks } }
  const volumes = [...spec.volumes, { name, persistentVolumeClaim: { claimName: name } }]
  await apply({ ...rest, spec: { ...spec, domain, volumes } })
}

/** Waits until the VMI of a guest that cannot be names the reason. */
async function toldWhy({ manifest, reason }: { manifest: ReturnType<typeof tinyVmi>; reason: string }): Promise<void> {
  const { name, namespace } = manifest.metadata
  await eventually(`VMI ${name} says ${reason}`, async () => {
    const { status } = await getVmi(namespace, name)
    const told = status?.conditions?.find(({ type }) => type === 'Synchronized')
    ensure(told?.status === 'False' && told.message?.startsWith(`${reason}: `), JSON.stringify(status?.conditions))
  })
}

/** What is mounted on a node. */
async function mountsOf(node: string): Promise<string> {
  const handler = await handlerOn(node)
  const inside = ['-n', 'kubevirt', handler.metadata.name, '-c', 'virt-handler', '--', '/usr/bin/node', '-e']
  return kubectl('exec', ...inside, "process.stdout.write(require('fs').readFileSync('/proc/1/mountinfo'))")
}
