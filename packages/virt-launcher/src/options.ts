import { defineOptions, type OptionValues } from '@kubevirt-ts/service'

/** Everything that virt-controller writes into a launcher pod's command line, with KubeVirt's names and defaults. */
export const launcherOptions = defineOptions({
  name: { flag: 'name', type: 'string', default: '', help: 'name of the VirtualMachineInstance' },
  namespace: { flag: 'namespace', type: 'string', default: '', help: 'namespace of the VirtualMachineInstance' },
  uid: { flag: 'uid', type: 'string', default: '', help: 'UID of the VirtualMachineInstance' },
  shareDir: {
    flag: 'kubevirt-share-dir',
    type: 'string',
    default: '/var/run/kubevirt',
    help: 'folder shared with virt-handler',
  },
  privateDir: {
    flag: 'kubevirt-private-dir',
    type: 'string',
    default: '/var/run/kubevirt-private',
    help: "folder of the pod's own files",
  },
  ephemeralDiskDir: {
    flag: 'ephemeral-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt-ephemeral-disks',
    help: 'folder of disks that end with the pod',
  },
  containerDiskDir: {
    flag: 'container-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt/container-disks',
    help: 'folder in which virt-handler mounts the images of container disks',
  },
  hotplugDiskDir: {
    flag: 'hotplug-disk-dir',
    type: 'string',
    default: '/var/run/kubevirt/hotplug-disks',
    help: 'folder in which virt-handler mounts hotplugged volumes',
  },
  gracePeriodSeconds: {
    flag: 'grace-period-seconds',
    type: 'number',
    default: 30,
    help: 'seconds a guest has to shut down after a signal',
  },
  qemuTimeout: {
    flag: 'qemu-timeout',
    type: 'duration',
    default: 180_000,
    help: 'how long to wait for the guest to start',
  },
  hookSidecars: { flag: 'hook-sidecars', type: 'number', default: 0, help: 'number of hook sidecars to wait for' },
  ovmfPath: { flag: 'ovmf-path', type: 'string', default: '/usr/share/OVMF', help: 'folder with the UEFI images' },
  diskMemoryLimit: {
    flag: 'disk-memory-limit',
    type: 'number',
    default: 2_097_152_000,
    help: 'bytes of memory that qemu-img may take',
  },
  hypervisor: { flag: 'hypervisor', type: 'string', default: 'kvm', help: 'hypervisor of the cluster' },
  runAsNonroot: { flag: 'run-as-nonroot', type: 'boolean', default: false, help: 'the guest runs as user 107' },
  imageVolume: { flag: 'image-volume', type: 'boolean', default: false, help: 'container disks are image volumes' },
  upgradeOrdinalIfaces: {
    flag: 'upgrade-ordinal-ifaces',
    type: 'boolean',
    default: false,
    help: 'name links of secondary networks by hash',
  },
  allowEmulation: {
    flag: 'allow-emulation',
    type: 'boolean',
    default: false,
    help: 'run guests where there is no /dev/kvm',
  },
  keepAfterFailure: {
    flag: 'keep-after-failure',
    type: 'boolean',
    default: false,
    help: 'known to the monitor, which keeps the pod after a failure',
  },
  simulateCrash: {
    flag: 'simulate-crash',
    type: 'boolean',
    default: false,
    help: 'end at once with an error (for tests)',
  },
  libvirtLogFilters: {
    flag: 'libvirt-log-filters',
    type: 'string',
    default: '',
    help: "log filters of libvirt's daemon; with them it logs everything they name",
  },
  qemuAgentSysInterval: {
    flag: 'qemu-agent-sys-interval',
    type: 'duration',
    default: 120_000,
    help: "how often the guest's system facts are asked for",
  },
  qemuAgentFileInterval: {
    flag: 'qemu-agent-file-interval',
    type: 'duration',
    default: 300_000,
    help: "how often the guest's file systems are asked for",
  },
  qemuAgentUserInterval: {
    flag: 'qemu-agent-user-interval',
    type: 'duration',
    default: 10_000,
    help: "how often the guest's users are asked for",
  },
  qemuAgentVersionInterval: {
    flag: 'qemu-agent-version-interval',
    type: 'duration',
    default: 300_000,
    help: "how often the agent's version is asked for",
  },
  qemuFsfreezeStatusInterval: {
    flag: 'qemu-fsfreeze-status-interval',
    type: 'duration',
    default: 5_000,
    help: 'how often it is asked whether file systems are frozen',
  },
  verbosity: {
    flag: 'v',
    type: 'number',
    default: 2,
    env: 'VIRT_LAUNCHER_LOG_VERBOSITY',
    help: 'log verbosity: 2 is info',
  },
})

export type LauncherOptions = OptionValues<typeof launcherOptions>
