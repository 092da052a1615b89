/** The Kubernetes that local clusters run: of the official release, and of `go/go.mod`. */
export const kubernetesVersion = 'v1.34.4'
/** The etcd beside it. */
export const etcdVersion = 'v3.6.4'
