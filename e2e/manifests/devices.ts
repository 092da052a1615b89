import { readFileSync } from 'node:fs'
import { root } from '../framework/tools.ts'
import { debianVm } from './vms.ts'

const sidecarProgram = readFileSync(`${root}e2e/programs/hook-sidecar.cjs`, 'utf8')

/** The guest's card has another address beside its lease. */
const networkData = `version: 2
ethernets:
  eth0:
    dhcp4: true
    addresses: [198.18.99.7/24]
`

type Options = {
  readonly name: string
  readonly namespace: string
  readonly sidecarImage: string
  readonly secureBoot: boolean
}

/** What the volumes of `devicesVm` come from. */
export function deviceSources({ namespace }: Pick<Options, 'namespace'>) {
  const object = (kind: string, name: string, content: object) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace },
    ...content,
  })
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      object('ConfigMap', 'settings', { data: { colour: 'green' } }),
      object('ConfigMap', 'shared', { data: { word: 'shared-by-virtiofs' } }),
      object('ConfigMap', 'answers', { data: { 'unattend.xml': '<unattend/>' } }),
      object('Secret', 'hidden', { stringData: { token: 'open-sesame' } }),
      object('Secret', 'passwords', { stringData: { root: 'handed-by-the-agent' } }),
      object('Secret', 'keys', { stringData: { key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE2e e2e@kubevirt-ts' } }),
    ],
  }
}

/** A Debian guest with UEFI, a TPM, a watchdog, a sound card, a panic device, a hook sidecar, probes and a volume of every small kind. */
export function devicesVm({ name, namespace, sidecarImage, secureBoot }: Options, userData: string) {
  const vm = debianVm({ name, namespace }, userData)
  const { template } = vm.spec
  const { domain } = template.spec
  const command = ['/usr/bin/node', '-e', sidecarProgram]
  const sidecars = [{ image: sidecarImage, imagePullPolicy: 'IfNotPresent', command }]
  const cdrom = (disk: string) => ({ name: disk, cdrom: { bus: 'sata' } })
  const disk = (disk: string) => ({ name: disk, serial: disk.toUpperCase(), disk: { bus: 'virtio' } })
  return {
    ...vm,
    spec: {
      ...vm.spec,
      template: {
        metadata: { ...template.metadata, annotations: { 'hooks.kubevirt.io/hookSidecars': JSON.stringify(sidecars) } },
        spec: {
          ...template.spec,
          accessCredentials: [
            {
              sshPublicKey: {
                source: { secret: { secretName: 'keys' } },
                propagationMethod: { qemuGuestAgent: { users: ['debian'] } },
              },
            },
            {
              userPassword: {
                source: { secret: { secretName: 'passwords' } },
                propagationMethod: { qemuGuestAgent: {} },
              },
            },
          ],
          readinessProbe: {
            exec: { command: ['test', '-e', '/run/ready'] },
            periodSeconds: 3,
            timeoutSeconds: 20,
            failureThreshold: 1,
          },
          domain: {
            ...domain,
            memory: { guest: '1Gi' },
            features: { smm: { enabled: secureBoot } },
            firmware: { bootloader: { efi: { secureBoot } }, serial: 'e2e-serial' },
            devices: {
              ...domain.devices,
              tpm: {},
              watchdog: { name: 'dog', i6300esb: { action: 'reset' } },
              rng: {},
              sound: { name: 'speaker', model: 'ich9' },
              panicDevices: [{ model: 'isa' }],
              downwardMetrics: {},
              disks: [
                ...domain.devices.disks,
                disk('config'),
                disk('secret'),
                disk('account'),
                disk('downward'),
                cdrom('sysprep'),
                disk('host'),
                disk('metrics'),
              ],
              filesystems: [{ name: 'share', virtiofs: {} }],
            },
          },
          volumes: [
            ...template.spec.volumes.map((volume) =>
              'cloudInitNoCloud' in volume && volume.cloudInitNoCloud
                ? { ...volume, cloudInitNoCloud: { ...volume.cloudInitNoCloud, networkData } }
                : volume,
            ),
            { name: 'config', configMap: { name: 'settings' } },
            { name: 'secret', secret: { secretName: 'hidden' } },
            { name: 'account', serviceAccount: { serviceAccountName: 'default' } },
            {
              name: 'downward',
              downwardAPI: { fields: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
            },
            { name: 'sysprep', sysprep: { configMap: { name: 'answers' } } },
            {
              name: 'host',
              hostDisk: { path: `/var/lib/kubevirt-ts-e2e/${namespace}.img`, type: 'DiskOrCreate', capacity: '32Mi' },
            },
            { name: 'metrics', downwardMetrics: {} },
            { name: 'share', configMap: { name: 'shared' } },
          ],
        },
      },
    },
  }
}

interface KeptStateOptions {
  readonly name: string
  readonly namespace: string
  readonly persistent?: boolean
}

/**
 * A Debian guest whose firmware and TPM remember, which is ready when its agent answers.
 * @param persistent they remember over a restart, on a claim
 */
export function keptStateVm({ persistent = true, ...names }: KeptStateOptions) {
  const userData = '#cloud-config\npassword: correct-horse\nchpasswd: { expire: false }\n'
  const vm = debianVm(names, userData)
  const { template } = vm.spec
  const { domain } = template.spec
  const devices = { ...domain.devices, tpm: persistent ? { persistent } : {} }
  const firmware = { bootloader: { efi: { secureBoot: false, ...(persistent ? { persistent } : {}) } } }
  const spec = {
    ...template.spec,
    readinessProbe: { guestAgentPing: {}, periodSeconds: 5, timeoutSeconds: 10 },
    domain: { ...domain, devices, firmware, memory: { guest: '1Gi' } },
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}
