import { nodeAddressesOf } from '../addresses.ts'
import { nodeName } from '../cluster.ts'
import type { Cluster } from '../cluster.ts'
import { pauseImage } from '../images/pause.ts'

/** Where a node finds its configuration, inside of the node. */
const etc = '/var/lib/.node/etc'

/** The cgroup above a node's pods; the kubelet makes its own below it. */
export const nodeCgroup = (cluster: Cluster, node: number): string => `${cluster.cgroup}/${nodeName(cluster, node)}`

export const kubeletConfig = (cluster: Cluster, node: number) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: nodeAddressesOf(cluster.slot, node).address,
  tlsCertFile: `${etc}/kubelet.crt`,
  tlsPrivateKeyFile: `${etc}/kubelet.key`,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: `${etc}/ca.crt` },
  },
  authorization: { mode: 'Webhook' },
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${nodeCgroup(cluster, node)}`,
  clusterDNS: [cluster.addresses.dnsService],
  clusterDomain: 'cluster.local',
  // Nodes reach no name server but the cluster's own.
  resolvConf: '',
  failSwapOn: false,
  evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  serializeImagePulls: false,
  registryPullQPS: 0,
  // The default lies in /usr/libexec, which belongs to the host.
  volumePluginDir: '/var/lib/kubelet/volume-plugins',
})

export const kubeProxyConfig = (cluster: Cluster) => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'nftables',
  clientConnection: { kubeconfig: `${etc}/kube-proxy.kubeconfig` },
  clusterCIDR: cluster.addresses.pods,
  // These settings belong to the host's kernel and stay as they are.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
})

export const containerdConfig = (): string => `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
address = "/run/containerd/containerd.sock"

# The default lies in /opt, which belongs to the host.
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Without the right to lower it, runc would not start any container.
restrict_oom_score_adj = true
device_ownership_from_security_context = true
# Profiles would be loaded into the host's kernel and stay there.
disable_apparmor = true

[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${etc}/cni"

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${etc}/registries"
`

/** The cluster's registry stands for every other one. */
export const registryConfig = (registry: string): string => `server = "http://${registry}"

[host."http://${registry}"]
capabilities = ["pull", "resolve"]
`

export const podNetworkConfig = (cluster: Cluster, node: number) => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      hairpinMode: true,
      ipMasq: false,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: nodeAddressesOf(cluster.slot, node).pods }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
})
