import { defineOptions, type OptionValues } from '@kubevirt-ts/service'

/** The flags of kube-scheduler that this scheduler knows, with its defaults, and `--plugin`. */
export const options = defineOptions({
  config: { flag: 'config', type: 'string', default: '', help: 'path of a KubeSchedulerConfiguration file' },
  leaderElect: {
    flag: 'leader-elect',
    type: 'boolean',
    help: 'schedule only while holding the lease; the configuration decides unless given',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'string',
    default: '',
    help: 'path of a kubeconfig; in a pod its service account',
  },
  plugin: { flag: 'plugin', type: 'list', default: [], help: 'files of further plugins, as JavaScript modules' },
  pluginTimeout: {
    flag: 'plugin-timeout',
    type: 'duration',
    default: 1000,
    help: 'how long a plugin from --plugin may take for one call',
  },
  bindAddress: {
    flag: 'bind-address',
    type: 'string',
    default: '0.0.0.0',
    help: 'address to serve health and metrics on',
  },
  securePort: { flag: 'secure-port', type: 'number', default: 10259, help: 'port to serve health and metrics on' },
  certFile: { flag: 'tls-cert-file', type: 'string', default: '', help: 'certificate to serve with, PEM' },
  keyFile: { flag: 'tls-private-key-file', type: 'string', default: '', help: 'key of --tls-cert-file, PEM' },
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'string',
    default: '',
    help: 'authority of the certificates that callers of the extender must have, PEM',
  },
  extender: {
    flag: 'extender',
    type: 'boolean',
    default: false,
    help: 'schedule nothing: serve filter, prioritize and bind to a kube-scheduler over https',
  },
  extenderPort: { flag: 'extender-port', type: 'number', default: 10260, help: 'port to serve the extender on' },
  verbosity: { flag: 'v', type: 'number', default: 2, help: 'log level verbosity' },
})

export type Options = OptionValues<typeof options>
