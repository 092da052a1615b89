import type { PersistentVolumeClaim, Pod, VirtualMachine } from '@kubevirt-ts/api'

export interface ToolsOptions {
  readonly claim: PersistentVolumeClaim
  readonly namespace: string
  readonly image: string
  readonly pullPolicy: string
  /** Whether the tools' own virtual machine is to use the processor's help. */
  readonly kvm: boolean
  readonly root: boolean
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  readonly fsGroup?: number | undefined
  /** The pod goes where this machine may go, which reaches the claim. */
  readonly vm?: VirtualMachine | undefined
}

export const containerName = 'libguestfs'
/** Where the claim is in the pod: a folder, or a block device. */
export const places = { Filesystem: '/disk', Block: '/dev/vda' } as const

const toolsUser = 107
const scratch = '/tmp/guestfs'
const kvmDevice = 'devices.kubevirt.io/kvm'

/** The image of the original prepares itself first; any other with a shell and the tools will do, too. */
const shell =
  'if [ -x /entrypoint.sh ]; then exec /entrypoint.sh; fi; if command -v bash >/dev/null; then exec bash; fi; exec sh'

export const podName = (claim: string): string => `libguestfs-tools-${claim}`

/** A pod that holds the tools and the claim, and waits for somebody to attach. It may not do more than a launcher may. */
export function toolsPod(options: ToolsOptions): Pod {
  const { claim, namespace, image, pullPolicy, kvm, root, uid, gid, fsGroup, vm } = options
  const { name } = claim.metadata
  const isBlock = claim.spec?.volumeMode === 'Block'
  const volume = 'volume'
  const user = root ? 0 : (uid ?? toolsUser)
  const group = gid ?? (root ? undefined : toolsUser)
  const owner = fsGroup ?? (root ? undefined : toolsUser)
  const { nodeSelector, affinity, tolerations, schedulerName } = vm?.spec.template?.spec ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(name), namespace },
    spec: {
      restartPolicy: 'Never',
      ...(nodeSelector && { nodeSelector }),
      ...(affinity && { affinity }),
      ...(tolerations && { tolerations }),
      ...(schedulerName && { schedulerName }),
      securityContext: {
        runAsNonRoot: !root,
        runAsUser: user,
        ...(group !== undefined && { runAsGroup: group }),
        ...(owner !== undefined && { fsGroup: owner }),
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: containerName,
          image,
          imagePullPolicy: pullPolicy,
          command: ['/bin/sh', '-c', shell],
          stdin: true,
          tty: true,
          env: [
            { name: 'LIBGUESTFS_BACKEND', value: 'direct' },
            ...(kvm ? [] : [{ name: 'LIBGUESTFS_BACKEND_SETTINGS', value: 'force_tcg' }]),
            { name: 'LIBGUESTFS_TMPDIR', value: scratch },
            { name: 'HOME', value: scratch },
          ],
          resources: kvm ? { limits: { [kvmDevice]: '1' } } : {},
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [
            { name: 'scratch', mountPath: scratch },
            ...(isBlock ? [] : [{ name: volume, mountPath: places.Filesystem }]),
          ],
          ...(isBlock && { volumeDevices: [{ name: volume, devicePath: places.Block }] }),
        },
      ],
      volumes: [
        { name: volume, persistentVolumeClaim: { claimName: name } },
        { name: 'scratch', emptyDir: {} },
      ],
    },
  }
}
