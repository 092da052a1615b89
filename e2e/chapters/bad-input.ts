import { expect } from '@jest/globals'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, getVm, kubectl, refused } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { tryVirtctl } from '../framework/virtctl.ts'
import { tinyVm } from '../manifests/vms.ts'

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
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=60s')
  })

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
