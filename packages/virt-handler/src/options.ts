import { defineOptions } from '@kubevirt-ts/service'

/** KubeVirt's flags of virt-handler with their defaults. */
export const options = defineOptions({
  port: { flag: 'port', type: 'number', default: 8185, help: 'Port of health and metrics.' },
  hostnameOverride: {
    flag: 'hostname-override',
    type: 'string',
    env: 'NODE_NAME',
    help: 'Name of this node in the cluster.',
  },
  podIpAddress: {
    flag: 'pod-ip-address',
    type: 'string',
    env: 'MY_POD_IP',
    help: 'Address at which virt-api reaches this pod.',
  },
  shareDir: {
    flag: 'kubevirt-share-dir',
    type: 'string',
    default: '/var/run/kubevirt',
    help: 'Folder shared with guests.',
  },
  privateDir: {
    flag: 'kubevirt-private-dir',
    type: 'string',
    default: '/var/run/kubevirt-private',
    help: 'Folder of records about guests.',
  },
  kubeletPodsDir: {
    flag: 'kubelet-pods-dir',
    type: 'string',
    default: '/var/lib/kubelet/pods',
    help: 'Folder of the pods on the node.',
  },
  podsMount: { flag: 'pods-mount', type: 'string', default: '/pods', help: 'Where that folder is mounted here.' },
  kubeletRoot: {
    flag: 'kubelet-root',
    type: 'string',
    default: '/var/lib/kubelet',
    help: 'Root folder of the kubelet.',
  },
  maxDevices: {
    flag: 'max-devices',
    type: 'number',
    default: 1000,
    help: 'Containers that may have one kind of device at a time.',
  },
  consoleServerPort: {
    flag: 'console-server-port',
    type: 'number',
    default: 8186,
    help: 'Port for consoles and calls of virt-api.',
  },
  vmStatsServerPort: {
    flag: 'vmstats-server-port',
    type: 'number',
    default: 8187,
    help: 'Port of statistics; not served yet.',
  },
  maxMetricRequests: {
    flag: 'max-metric-requests',
    type: 'number',
    default: 3,
    help: 'Metric requests served at the same time.',
  },
  watchdogTimeout: {
    flag: 'watchdog-timeout',
    type: 'duration',
    default: 30_000,
    help: 'How long a launcher may be silent.',
  },
  domainResyncPeriodSeconds: {
    flag: 'domain-resync-period-seconds',
    type: 'number',
    default: 300,
    help: 'How often launchers are asked for their domain.',
  },
  gracefulShutdownSeconds: {
    flag: 'graceful-shutdown-seconds',
    type: 'number',
    default: 300,
    help: 'How long a stop may take.',
  },
  enableNodeLabeller: {
    flag: 'enable-node-labeller',
    type: 'boolean',
    default: true,
    help: 'Label the node with what it offers to guests.',
  },
  nodeLabellerDir: {
    flag: 'node-labeller-dir',
    type: 'string',
    default: '/var/lib/kubevirt-node-labeller',
    help: 'Folder of capabilities that an init container wrote.',
  },
  caConfigMapName: {
    flag: 'ca-configmap-name',
    type: 'string',
    default: 'kubevirt-ca',
    help: 'ConfigMap of the authorities; mounted at --ca-bundle-file.',
  },
  caBundleFile: {
    flag: 'ca-bundle-file',
    type: 'string',
    default: '/etc/kubevirt-ca/ca-bundle',
    help: 'Authorities that sign the clients.',
  },
  tlsCertFile: {
    flag: 'tls-cert-file',
    type: 'string',
    default: '/etc/virt-handler/servercertificates/tls.crt',
    help: 'Certificate of the servers.',
  },
  tlsKeyFile: {
    flag: 'tls-key-file',
    type: 'string',
    default: '/etc/virt-handler/servercertificates/tls.key',
    help: 'Its key.',
  },
  externallyManaged: {
    flag: 'externally-managed',
    type: 'boolean',
    default: false,
    help: 'Certificates of others may have any name.',
  },
  migrationCnTypes: {
    flag: 'migration-cn-types',
    type: 'list',
    default: ['virt-handler', 'migration'],
    help: 'Roles of peers in migrations; not served yet.',
  },
  verbosity: { flag: 'v', type: 'number', default: 2, help: 'Log verbosity: 2 info, 3 debug, 5 trace.' },
})
