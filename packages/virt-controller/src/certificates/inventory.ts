/** A certificate that some component needs, kept as a TLS Secret of the install namespace. */
export interface LeafSpec {
  readonly secret: string
  readonly commonName: string
  readonly dnsNames: readonly string[]
  readonly usages: readonly ('server' | 'client')[]
}

export const caSecret = 'kubevirt-ca'
export const caConfigMap = 'kubevirt-ca'
export const caBundleKey = 'ca-bundle'

/** Every leaf of an installation. Peers are told apart by common name, so a name has one role only. */
export function inventory(namespace: string): readonly LeafSpec[] {
  return [
    serving('kubevirt-virt-api-certs', 'virt-api', namespace),
    serving('kubevirt-controller-certs', 'virt-controller', namespace),
    {
      secret: 'kubevirt-virt-handler-server-certs',
      commonName: 'kubevirt.io:system:node:virt-handler',
      dnsNames: serviceNames('virt-handler', namespace),
      usages: ['server'],
    },
    client('kubevirt-virt-handler-certs', 'virt-handler'),
    { ...client('kubevirt-virt-handler-migration-client-certs', 'migration'), usages: ['client', 'server'] },
    client('kubevirt-virt-handler-vsock-client-certs', 'vsock'),
    client('kubevirt-virt-handler-monitoring-client-certs', 'monitoring'),
  ]
}

function serving(secret: string, service: string, namespace: string): LeafSpec {
  return {
    secret,
    commonName: `${service}.${namespace}.svc`,
    dnsNames: serviceNames(service, namespace),
    usages: ['server'],
  }
}

function client(secret: string, role: string): LeafSpec {
  return { secret, commonName: `kubevirt.io:system:client:${role}`, dnsNames: [], usages: ['client'] }
}

function serviceNames(service: string, namespace: string): string[] {
  return [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
    `${service}.${namespace}.pod.cluster.local`,
  ]
}
