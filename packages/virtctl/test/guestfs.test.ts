import { describe, expect, test } from '@jest/globals'
import { imageOf } from '../src/guestfs/guestfs.ts'
import { answer, api, start, terminal, virtctl } from './command-line.ts'

const pods = '/api/v1/namespaces/n/pods'
const info = '/apis/subresources.kubevirt.io/v1/guestfs'
const claim = '/api/v1/namespaces/n/persistentvolumeclaims/root'

function withClaim(spec: object = {}, used: readonly object[] = []): void {
  answer(`GET ${claim}`, { metadata: { name: 'root', namespace: 'n' }, spec })
  answer(`GET ${pods}`, { items: used })
  answer(`GET ${info}`, { registry: 'registry.example/kubevirt', tag: 'v1', imagePrefix: 'our-' })
  answer(`POST ${pods}`, {}, 201)
  answer(`GET ${pods}/libguestfs-tools-root`, { metadata: { name: 'x' }, spec: {}, status: { phase: 'Running' } })
  answer(`DELETE ${pods}/libguestfs-tools-root`, {})
}

const created = () => api.seen.find(({ method }) => method === 'POST')?.body as any

describe('a session', () => {
  test('keys go to the container, its terminal is ours, and the pod goes with its shell', async () => {
    withClaim()
    const keys = Promise.withResolvers<Buffer>()
    api.onStream = (socket) => {
      socket.on('message', (message: Buffer) => {
        if (message[0] !== 0) return
        keys.resolve(message)
        socket.send(Buffer.concat([Buffer.of(1), Buffer.from('virt-ls …')]))
        socket.send(Buffer.concat([Buffer.of(3), Buffer.from('{"status":"Success"}')]))
        socket.close()
      })
    }
    const used = terminal()
    const code = start(used, 'guestfs', 'root')
    used.stdin.write('virt-ls')
    expect((await keys.promise).toString()).toBe('\u0000virt-ls')
    expect(await code).toBe(0)
    expect(used.out()).toBe('virt-ls …')
    expect(used.err()).toMatch(/mounted at .disk/)
    const upgrade = api.seen.find(({ method }) => method === 'UPGRADE')!
    expect(upgrade.path).toBe(
      `${pods}/libguestfs-tools-root/attach?container=libguestfs&stdin=true&stdout=true&tty=true`,
    )
    expect(api.seen.at(-1)).toMatchObject({ method: 'DELETE', path: `${pods}/libguestfs-tools-root` })
  })

  test('a container that can not start ends it with the reason, and the pod goes', async () => {
    withClaim()
    const waiting = { reason: 'ErrImagePull', message: 'not found' }
    answer(`GET ${pods}/libguestfs-tools-root`, {
      metadata: { name: 'x' },
      spec: {},
      status: { phase: 'Pending', containerStatuses: [{ state: { waiting } }] },
    })
    expect(await virtctl('guestfs', 'root')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ErrImagePull: not found; name an image with libguestfs by --image/),
    })
    expect(api.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })
})

describe('the pod', () => {
  /** What is asked for by a command line that then fails for want of a stream. */
  async function podOf(...argv: string[]) {
    answer(`UPGRADE ${pods}/libguestfs-tools-root/attach?container=libguestfs&stdin=true&stdout=true&tty=true`, {}, 403)
    await virtctl('guestfs', 'root', ...argv)
    const pod = created()
    return { pod, container: pod.spec.containers[0], security: pod.spec.securityContext }
  }

  test('runs as a launcher does, with KVM and the installation’s image', async () => {
    withClaim()
    const { pod, container, security } = await podOf()
    expect(pod.metadata.name).toBe('libguestfs-tools-root')
    expect(security).toMatchObject({ runAsNonRoot: true, runAsUser: 107, fsGroup: 107 })
    expect(container).toMatchObject({
      image: 'registry.example/kubevirt/our-libguestfs-tools:v1',
      imagePullPolicy: 'IfNotPresent',
      resources: { limits: { 'devices.kubevirt.io/kvm': '1' } },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    })
    expect(container.volumeMounts).toContainEqual({ name: 'volume', mountPath: '/disk' })
  })

  test('has what flags ask for, and a block volume as a device', async () => {
    withClaim({ volumeMode: 'Block' })
    answer('GET /apis/kubevirt.io/v1/namespaces/n/virtualmachines/vm', {
      spec: { template: { spec: { nodeSelector: { zone: 'b' } } } },
    })
    const flags = ['--root', '--kvm=false', '--image=mine', '--pull-policy=Always', '--fsGroup=7', '--vm=vm']
    const { pod, container, security } = await podOf(...flags)
    expect(security).toMatchObject({ runAsNonRoot: false, runAsUser: 0, fsGroup: 7 })
    expect(pod.spec.nodeSelector).toEqual({ zone: 'b' })
    expect(container).toMatchObject({ image: 'mine', imagePullPolicy: 'Always', resources: {} })
    expect(container.env).toContainEqual({ name: 'LIBGUESTFS_BACKEND_SETTINGS', value: 'force_tcg' })
    expect(container.volumeDevices).toEqual([{ name: 'volume', devicePath: '/dev/vda' }])
  })
})

test.each([
  [['guestfs', 'other'], /PVC other doesn't exist in namespace n/],
  [['guestfs', 'root', '--gid=1'], /gid requires the uid/],
  [['guestfs', 'root', '--root', '--uid=5'], /exclude each other/],
  [['guestfs', 'root', '--pull-policy=Sometimes'], /Sometimes is not known/],
  [['guestfs', 'root'], /PVC root is used by another pod: launcher/],
])('%j is refused', async (argv, message) => {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'root' } }]
  withClaim({}, [{ metadata: { name: 'launcher' }, spec: { volumes }, status: { phase: 'Running' } }])
  expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
  expect(created()).toBeUndefined()
})

test('the image of the installation has a digest, a tag, or is named whole', () => {
  expect(imageOf({ registry: 'r', digest: 'sha256:1', tag: 'v1' })).toBe('r/libguestfs-tools@sha256:1')
  expect(imageOf({ registry: 'r' })).toBe('r/libguestfs-tools:latest')
  expect(imageOf({ registry: 'r', gsImage: 'other/tools:1' })).toBe('other/tools:1')
})
