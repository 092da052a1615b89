import { parseQuantity } from '@kubevirt-ts/api'
import { architectureSettings } from '@kubevirt-ts/virt-config'
import { isHotplugVolume } from '@kubevirt-ts/vmispec'
import type { Draft } from './draft.ts'
import { hookSidecars } from './hook-sidecars.ts'
import type { Launch } from './launch.ts'
import { nonRootEnvironment } from './security.ts'

/** Seconds that the launcher gets on top of the guest's grace period to wind down. */
const windDownSeconds = 15

/** The container in which the guest runs: image, command line, environment. Resources and mounts come from others. */
export function compute({ compute, pullSecrets }: Draft, launch: Launch): void {
  const { context } = launch
  Object.assign(compute, {
    image: context.launcherImage,
    imagePullPolicy: context.configuration.imagePullPolicy,
    // The original has this flag in the command, not among the arguments; it works at either place.
    command: [
      '/usr/bin/virt-launcher-monitor',
      ...(launch.isEnabled('CrossArchitectureVirtualization') ? ['--allow-cross-arch-emulation'] : []),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
  })
  compute.args.push(...valueArguments(launch), ...switches(launch))
  compute.env.push(...environment(launch))
  if (context.imagePullSecret !== undefined) pullSecrets.add(context.imagePullSecret)
}

function valueArguments({ vmi, context, architecture, isEnabled }: Launch): string[] {
  const { configuration } = context
  const memoryLimit = configuration.developerConfiguration?.diskVerification?.memoryLimit ?? '2000Mi'
  const values = {
    'qemu-timeout': `${context.qemuTimeoutSeconds}s`,
    name: vmi.metadata.name,
    uid: vmi.metadata.uid ?? '',
    namespace: vmi.metadata.namespace ?? 'default',
    'kubevirt-share-dir': context.shareDir,
    'ephemeral-disk-dir': context.ephemeralDiskDir,
    'container-disk-dir': context.containerDiskDir,
    'grace-period-seconds': String(graceSeconds({ vmi }) + windDownSeconds),
    'hook-sidecars': String(hookSidecars({ vmi, context }).length),
    'ovmf-path': architectureSettings(configuration, architecture).ovmfPath ?? '',
    'disk-memory-limit': String(parseQuantity(memoryLimit)),
    hypervisor: (isEnabled('ConfigurableHypervisor') && configuration.hypervisors?.[0]?.name) || 'kvm',
  }
  return Object.entries(values).flatMap(([flag, value]) => [`--${flag}`, value])
}

export function graceSeconds({ vmi }: Pick<Launch, 'vmi'>): number {
  return vmi.spec.terminationGracePeriodSeconds ?? 30
}

function switches({ vmi, context, containerDisks, nonRoot, isEnabled }: Launch): string[] {
  const annotations = vmi.metadata.annotations ?? {}
  const filters = annotations['kubevirt.io/libvirt-log-filters']
  const keepAlive = annotations['kubevirt.io/keep-launcher-alive-after-failure']
  const when = (condition: boolean | undefined, ...words: string[]): string[] => (condition ? words : [])
  return [
    ...when(nonRoot, '--run-as-nonroot'),
    ...when(containerDisks === 'imageVolume', '--image-volume'),
    ...when(isEnabled('PodSecondaryInterfaceNamingUpgrade'), '--upgrade-ordinal-ifaces'),
    ...when(isEnabled('VGPULiveMigration'), '--vgpu-dedicated-hook'),
    ...when(isEnabled('VMStatsCollector'), '--vm-stats-collector'),
    ...when(isEnabled('FirmwareAutoSelection'), '--firmware-auto-selection'),
    ...when(filters !== undefined, '--libvirt-log-filters', filters ?? ''),
    ...when(context.configuration.developerConfiguration?.useEmulation, '--allow-emulation'),
    ...when(keepAlive === '' || keepAlive?.startsWith('true'), '--keep-after-failure'),
    ...when('kubevirt.io/func-test-virt-launcher-fail-fast' in annotations, '--simulate-crash'),
  ]
}

function environment(launch: Launch): Draft['compute']['env'] {
  const { vmi } = launch
  const labels = vmi.metadata.labels ?? {}
  const verbosity = launcherVerbosity(launch)
  const isSet = (label: string | undefined): boolean => label?.toLowerCase() === 'true' || Number(verbosity) > 5
  const shared = sharedFilesystems(launch)
  return [
    ...nonRootEnvironment(launch),
    ...(verbosity === '2' && labels.logVerbosity === undefined
      ? []
      : [{ name: 'VIRT_LAUNCHER_LOG_VERBOSITY', value: verbosity }]),
    ...(isSet(labels.debugLogs) ? [{ name: 'LIBVIRT_DEBUG_LOGS', value: '1' }] : []),
    ...(isSet(labels.virtiofsdDebugLogs) ? [{ name: 'VIRTIOFSD_DEBUG_LOGS', value: '1' }] : []),
    ...(shared.length === 0 ? [] : [{ name: 'SHARED_FILESYSTEM_PATHS', value: shared.join(':') }]),
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ]
}

/** As written on the VMI, else in the KubeVirt resource. */
export function launcherVerbosity({ vmi, context }: Launch): string {
  const cluster = context.configuration.developerConfiguration?.logVerbosity?.virtLauncher ?? 2
  return vmi.metadata.labels?.logVerbosity ?? String(cluster)
}

/** Folders whose files another node may have open too: libvirt must not change their owner. */
function sharedFilesystems({ vmi, context }: Launch): string[] {
  const mounted = (vmi.spec.volumes ?? []).filter((volume) => !isHotplugVolume(volume))
  return mounted.flatMap(({ name, persistentVolumeClaim, dataVolume, ephemeral }) => {
    const source = persistentVolumeClaim ?? ephemeral?.persistentVolumeClaim
    const claimName = source?.claimName ?? dataVolume?.name
    const claim = claimName === undefined ? undefined : context.claim(claimName)
    const shared = claim?.spec?.volumeMode !== 'Block' && claim?.spec?.accessModes?.includes('ReadWriteMany')
    return shared ? [`/var/run/kubevirt-private/vmi-disks/${name}`] : []
  })
}
