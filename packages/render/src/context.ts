import type { LauncherSettings } from '@kubevirt-ts/virt-controller/render'

/** What a cluster and its nodes would add: everything beside the files that the answer depends on. */
export interface RenderContext {
  /** Where an object is that names no namespace. */
  readonly namespace: string
  /** UID that the API server would give the VMI. */
  readonly uid: string
  /** Identifiers of the firmware that are made up for a guest that brings none. */
  readonly firmware: { readonly uuid: string; readonly serial: string }
  /** Architecture of a guest that names none. */
  readonly clusterArchitecture: string
  /** Seconds that the launcher waits for QEMU. */
  readonly qemuTimeoutSeconds: number
  readonly launcher: LauncherSettings
  readonly host: HostFacts
}

/** The node that the guest would come to. */
export interface HostFacts {
  /** UEFI images by architecture. */
  readonly firmware: Readonly<Record<string, { readonly folder: string; readonly files: readonly string[] }>>
  /** The image of every container disk; sizes in bytes. */
  readonly containerDisk: { readonly format: string; readonly virtualSize: number; readonly actualSize: number }
  /** CPUs of each NUMA cell. */
  readonly numaCells: readonly { readonly id: number; readonly cpus: readonly number[] }[]
  readonly vsockCid: number
}

/** The context whose fixed values make every run's answer the same. */
const builtIn: RenderContext = {
  namespace: 'default',
  uid: '11111111-2222-4333-8444-555555555555',
  firmware: { uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', serial: 'bbbbbbbb-cccc-4ddd-8eee-ffffffffffff' },
  clusterArchitecture: 'amd64',
  qemuTimeoutSeconds: 240,
  launcher: {
    launcherImage: 'registry.example/virt-launcher:v1',
    sidecarShimImage: 'registry.example/sidecar-shim:v1',
    shareDir: '/var/run/kubevirt',
    ephemeralDiskDir: '/var/run/kubevirt-ephemeral-disks',
    containerDiskDir: '/var/run/kubevirt/container-disks',
    hotplugDiskDir: '/var/run/kubevirt/hotplug-disks',
    launcherSubGid: 107,
  },
  host: {
    firmware: {
      amd64: {
        folder: '/usr/share/OVMF',
        files: [
          'OVMF_CODE.fd',
          'OVMF_VARS.fd',
          'OVMF_CODE.secboot.fd',
          'OVMF_VARS.secboot.fd',
          'OVMF_CODE.cc.fd',
          'OVMF.amdsev.fd',
          'OVMF.inteltdx.fd',
          'OVMF.inteltdx.secboot.fd',
        ],
      },
      arm64: { folder: '/usr/share/AAVMF', files: ['AAVMF_CODE.fd', 'AAVMF_VARS.fd'] },
    },
    containerDisk: { format: 'qcow2', virtualSize: 1_073_741_824, actualSize: 268_435_456 },
    numaCells: [{ id: 0, cpus: Array.from({ length: 32 }, (_, cpu) => cpu) }],
    vsockCid: 3,
  },
}

const sections = ['firmware', 'launcher', 'host'] as const

/** Fields that a context may have and the built-in one has not. */
const further: Readonly<Record<string, readonly string[]>> = { launcher: ['imagePullSecret'] }

/** What no field of a context is called (`launcher.image`), in what a file holds; a misspelt one would be passed over. */
export function unknownFields(given: object): string[] {
  const unknownIn = (part: object, known: object, path: string): string[] =>
    Object.keys(part)
      .filter((field) => !Object.hasOwn(known, field) && !further[path]?.includes(field))
      .map((field) => (path ? `${path}.${field}` : field))
  return [
    ...unknownIn(given, builtIn, ''),
    ...sections.flatMap((section) => {
      const part: unknown = (given as Partial<RenderContext>)[section] ?? {}
      return typeof part === 'object' ? unknownIn(part as object, builtIn[section], section) : [section]
    }),
  ]
}

/** The built-in context with what is given in its place, field by field, also in `launcher` and `host`. */
export function contextWith(given: Partial<RenderContext>): RenderContext {
  return {
    ...builtIn,
    ...given,
    firmware: { ...builtIn.firmware, ...given.firmware },
    launcher: { ...builtIn.launcher, ...given.launcher },
    host: { ...builtIn.host, ...given.host },
  }
}
