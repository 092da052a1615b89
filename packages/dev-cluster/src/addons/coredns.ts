import type { Addresses } from '../addresses.ts'

export const corednsImage = 'localhost/kubevirt-ts/coredns:1.12.4'

const labels = { 'k8s-app': 'kube-dns' }

// No forwarding: nothing outside of the cluster can be reached from it.
const corefile = `.:53 {
    errors
    health
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        ttl 30
    }
    cache 30
    reload
}
`

/** The cluster's DNS: `kube-dns` in kube-system, as every pod's resolv.conf names it. */
export const corednsObjects = ({ dnsService }: Pick<Addresses, 'dnsService'>): object[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'coredns', namespace: 'kube-system' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'system:coredns' },
    rules: [
      { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:coredns' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
    subjects: [{ kind: 'ServiceAccount', name: 'coredns', namespace: 'kube-system' }],
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'coredns', namespace: 'kube-system' },
    data: { Corefile: corefile },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: 'kube-system', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { ...labels, 'kubernetes.io/name': 'CoreDNS' } },
    spec: {
      clusterIP: dnsService,
      selector: labels,
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  },
]

const podSpec = {
  priorityClassName: 'system-cluster-critical',
  serviceAccountName: 'coredns',
  // Cluster DNS itself asks nobody.
  dnsPolicy: 'Default',
  tolerations: [{ operator: 'Exists' }],
  containers: [
    {
      name: 'coredns',
      image: corednsImage,
      args: ['-conf', '/etc/coredns/Corefile'],
      ports: [
        { name: 'dns', containerPort: 53, protocol: 'UDP' },
        { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
      ],
      resources: { requests: { cpu: '20m', memory: '30Mi' }, limits: { memory: '170Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
      },
      readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: '/health', port: 8080 }, initialDelaySeconds: 30, failureThreshold: 5 },
      volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
    },
  ],
  volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
}
