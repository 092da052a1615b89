import { defineOptions } from '@kubevirt-ts/service'

/** virt-api's flags with the names and defaults of the original. */
export const options = defineOptions({
  listen: { flag: 'listen', type: 'string', default: '0.0.0.0', help: 'address to listen on' },
  port: { flag: 'port', type: 'number', default: 443, help: 'port of the API and of the webhooks' },
  subresourcesOnly: {
    flag: 'subresources-only',
    type: 'boolean',
    default: false,
    help: 'serve only subresources, no webhooks',
  },
  consoleServerPort: {
    flag: 'console-server-port',
    type: 'number',
    default: 8186,
    help: 'port of virt-handler for streams and guest requests',
  },
  caConfigMap: {
    flag: 'ca-configmap-name',
    type: 'string',
    default: 'kubevirt-ca',
    help: 'ConfigMap of the certificate authority; read from the mounted bundle',
  },
  caFile: {
    flag: 'ca-file',
    type: 'string',
    default: '/etc/kubevirt-ca/ca-bundle',
    help: 'bundle of authorities that virt-handlers are trusted by',
  },
  tlsCertFile: {
    flag: 'tls-cert-file',
    type: 'string',
    default: '/etc/virt-api/certificates/tls.crt',
    help: 'server certificate',
  },
  tlsKeyFile: {
    flag: 'tls-key-file',
    type: 'string',
    default: '/etc/virt-api/certificates/tls.key',
    help: 'key of the server certificate',
  },
  handlerCertFile: {
    flag: 'handler-cert-file',
    type: 'string',
    default: '/etc/virt-handler/clientcertificates/tls.crt',
    help: 'client certificate shown to virt-handlers',
  },
  handlerKeyFile: {
    flag: 'handler-key-file',
    type: 'string',
    default: '/etc/virt-handler/clientcertificates/tls.key',
    help: 'key of the client certificate',
  },
  externallyManaged: {
    flag: 'externally-managed',
    type: 'boolean',
    default: false,
    help: 'certificates are replaced by somebody else; accepted for compatibility, files are always followed',
  },
  namespace: {
    flag: 'namespace',
    type: 'string',
    env: 'POD_NAMESPACE',
    default: 'kubevirt',
    help: 'namespace that KubeVirt is installed in',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'string',
    help: 'file that says how to reach the API server; in-cluster when absent',
  },
  verbosity: { flag: 'v', type: 'number', default: 2, help: 'log verbosity' },
})
