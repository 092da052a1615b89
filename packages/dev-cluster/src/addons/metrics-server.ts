export const metricsServerImage = 'localhost/kubevirt-ts/metrics-server:0.8.0'

const name = 'metrics-server'
const namespace = 'kube-system'
const labels = { 'k8s-app': name }
const serviceAccount = { kind: 'ServiceAccount', name, namespace }
const role = (kind: 'ClusterRole' | 'Role', roleName: string) => ({
  apiGroup: 'rbac.authorization.k8s.io',
  kind,
  name: roleName,
})
const rbac = 'rbac.authorization.k8s.io/v1'

/** The metrics API (`kubectl top`), aggregated into the API server. */
export const metricsServerObjects = (): object[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
  {
    apiVersion: rbac,
    kind: 'ClusterRole',
    metadata: { name: 'system:metrics-server' },
    rules: [
      { apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ],
  },
  {
    apiVersion: rbac,
    kind: 'ClusterRole',
    metadata: {
      name: 'system:aggregated-metrics-reader',
      labels: Object.fromEntries(
        ['admin', 'edit', 'view'].map((to) => [`rbac.authorization.k8s.io/aggregate-to-${to}`, 'true']),
      ),
    },
    rules: [{ apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
  },
  {
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:metrics-server' },
    roleRef: role('ClusterRole', 'system:metrics-server'),
    subjects: [serviceAccount],
  },
  {
    apiVersion: rbac,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'metrics-server:system:auth-delegator' },
    roleRef: role('ClusterRole', 'system:auth-delegator'),
    subjects: [serviceAccount],
  },
  {
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'metrics-server-auth-reader', namespace },
    roleRef: role('Role', 'extension-apiserver-authentication-reader'),
    subjects: [serviceAccount],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io' },
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { name, namespace },
      // It serves with a certificate that it made for itself.
      insecureSkipTLSVerify: true,
    },
  },
]

const podSpec = {
  priorityClassName: 'system-cluster-critical',
  serviceAccountName: name,
  tolerations: [{ operator: 'Exists' }],
  securityContext: { runAsNonRoot: true, runAsUser: 1000 },
  containers: [
    {
      name,
      image: metricsServerImage,
      args: [
        '--secure-port=10250',
        '--cert-dir=/tmp',
        '--kubelet-preferred-address-types=InternalIP',
        '--kubelet-certificate-authority=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
        '--metric-resolution=10s',
        '--kubelet-request-timeout=5s',
      ],
      ports: [{ name: 'https', containerPort: 10250 }],
      resources: { requests: { cpu: '20m', memory: '40Mi' }, limits: { memory: '200Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      readinessProbe: { httpGet: { path: '/readyz', port: 'https', scheme: 'HTTPS' }, periodSeconds: 2 },
      livenessProbe: { httpGet: { path: '/livez', port: 'https', scheme: 'HTTPS' }, initialDelaySeconds: 30 },
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    },
  ],
  volumes: [{ name: 'tmp', emptyDir: {} }],
}
