import type {
  Affinity,
  DownwardAPIVolumeFile,
  ExecAction,
  HTTPGetAction,
  LocalObjectReference,
  ObjectFieldSelector,
  PersistentVolumeClaimVolumeSourceOfKubernetes,
  PodDNSConfig,
  ResourceFieldSelector,
  TCPSocketAction,
  Toleration,
  TopologySpreadConstraint,
} from '../generated/index.ts'
import type { Quantity } from '../quantity/quantity.ts'
import type { Condition, IntOrString, ObjectMeta, TemplateMeta, Time } from './meta.ts'

export interface Pod {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec: PodSpec
  status?: PodStatus
}

export interface PodTemplateSpec {
  metadata?: TemplateMeta
  spec: PodSpec
}

export interface PodSpec {
  activeDeadlineSeconds?: number
  affinity?: Affinity
  automountServiceAccountToken?: boolean
  containers: Container[]
  dnsConfig?: PodDNSConfig
  dnsPolicy?: string
  enableServiceLinks?: boolean
  hostAliases?: { ip: string; hostnames?: string[] }[]
  hostIPC?: boolean
  hostNetwork?: boolean
  hostPID?: boolean
  hostUsers?: boolean
  hostname?: string
  imagePullSecrets?: LocalObjectReference[]
  initContainers?: Container[]
  nodeName?: string
  nodeSelector?: Record<string, string>
  overhead?: Record<string, Quantity>
  preemptionPolicy?: string
  priority?: number
  priorityClassName?: string
  readinessGates?: { conditionType: string }[]
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[]
  restartPolicy?: string
  runtimeClassName?: string
  schedulerName?: string
  schedulingGates?: { name: string }[]
  securityContext?: PodSecurityContext
  serviceAccount?: string
  serviceAccountName?: string
  setHostnameAsFQDN?: boolean
  shareProcessNamespace?: boolean
  subdomain?: string
  terminationGracePeriodSeconds?: number
  tolerations?: Toleration[]
  topologySpreadConstraints?: TopologySpreadConstraint[]
  volumes?: PodVolume[]
}

export interface Container {
  args?: string[]
  command?: string[]
  env?: EnvVar[]
  envFrom?: { prefix?: string; configMapRef?: OptionalReference; secretRef?: OptionalReference }[]
  image?: string
  imagePullPolicy?: string
  lifecycle?: { postStart?: LifecycleHandler; preStop?: LifecycleHandler }
  livenessProbe?: ContainerProbe
  name: string
  ports?: ContainerPort[]
  readinessProbe?: ContainerProbe
  resources?: ContainerResources
  restartPolicy?: string
  securityContext?: SecurityContext
  startupProbe?: ContainerProbe
  stdin?: boolean
  terminationMessagePath?: string
  terminationMessagePolicy?: string
  tty?: boolean
  volumeDevices?: { devicePath: string; name: string }[]
  volumeMounts?: VolumeMount[]
  workingDir?: string
}

export interface OptionalReference {
  name?: string
  optional?: boolean
}

export interface EnvVar {
  name: string
  value?: string
  valueFrom?: {
    fieldRef?: ObjectFieldSelector
    resourceFieldRef?: ResourceFieldSelector
    configMapKeyRef?: OptionalReference & { key: string }
    secretKeyRef?: OptionalReference & { key: string }
  }
}

export interface ContainerPort {
  containerPort: number
  hostIP?: string
  hostPort?: number
  name?: string
  protocol?: string
}

export interface ContainerResources {
  claims?: { name: string; request?: string }[]
  limits?: Record<string, Quantity>
  requests?: Record<string, Quantity>
}

export interface LifecycleHandler {
  exec?: ExecAction
  httpGet?: HTTPGetAction
  sleep?: { seconds: number }
  tcpSocket?: TCPSocketAction
}

export interface ContainerProbe {
  exec?: ExecAction
  failureThreshold?: number
  grpc?: { port: number; service?: string }
  httpGet?: HTTPGetAction
  initialDelaySeconds?: number
  periodSeconds?: number
  successThreshold?: number
  tcpSocket?: TCPSocketAction
  terminationGracePeriodSeconds?: number
  timeoutSeconds?: number
}

export interface VolumeMount {
  mountPath: string
  mountPropagation?: string
  name: string
  readOnly?: boolean
  recursiveReadOnly?: string
  subPath?: string
  subPathExpr?: string
}

export interface SELinuxOptions {
  level?: string
  role?: string
  type?: string
  user?: string
}

export interface SeccompProfile {
  localhostProfile?: string
  type: string
}

export interface AppArmorProfile {
  localhostProfile?: string
  type: string
}

export interface SecurityContext {
  allowPrivilegeEscalation?: boolean
  appArmorProfile?: AppArmorProfile
  capabilities?: { add?: string[]; drop?: string[] }
  privileged?: boolean
  procMount?: string
  readOnlyRootFilesystem?: boolean
  runAsGroup?: number
  runAsNonRoot?: boolean
  runAsUser?: number
  seLinuxOptions?: SELinuxOptions
  seccompProfile?: SeccompProfile
}

export interface PodSecurityContext {
  appArmorProfile?: AppArmorProfile
  fsGroup?: number
  fsGroupChangePolicy?: string
  runAsGroup?: number
  runAsNonRoot?: boolean
  runAsUser?: number
  seLinuxOptions?: SELinuxOptions
  seccompProfile?: SeccompProfile
  supplementalGroups?: number[]
  sysctls?: { name: string; value: string }[]
}

/** A volume of a pod. (`Volume` is a volume of a virtual machine.) */
export interface PodVolume {
  name: string
  configMap?: OptionalReference & { defaultMode?: number; items?: KeyToPath[] }
  csi?: {
    driver: string
    fsType?: string
    nodePublishSecretRef?: LocalObjectReference
    readOnly?: boolean
    volumeAttributes?: Record<string, string>
  }
  downwardAPI?: { defaultMode?: number; items?: DownwardAPIVolumeFile[] }
  emptyDir?: { medium?: string; sizeLimit?: Quantity }
  hostPath?: { path: string; type?: string }
  image?: { pullPolicy?: string; reference?: string }
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSourceOfKubernetes
  projected?: { defaultMode?: number; sources?: VolumeProjection[] }
  secret?: { defaultMode?: number; items?: KeyToPath[]; optional?: boolean; secretName?: string }
}

export interface KeyToPath {
  key: string
  mode?: number
  path: string
}

export interface VolumeProjection {
  configMap?: OptionalReference & { items?: KeyToPath[] }
  downwardAPI?: { items?: DownwardAPIVolumeFile[] }
  secret?: OptionalReference & { items?: KeyToPath[] }
  serviceAccountToken?: { audience?: string; expirationSeconds?: number; path: string }
}

export interface PodStatus {
  conditions?: Condition[]
  containerStatuses?: ContainerStatus[]
  ephemeralContainerStatuses?: ContainerStatus[]
  hostIP?: string
  hostIPs?: { ip: string }[]
  initContainerStatuses?: ContainerStatus[]
  message?: string
  nominatedNodeName?: string
  phase?: string
  podIP?: string
  podIPs?: { ip: string }[]
  qosClass?: string
  reason?: string
  startTime?: Time
}

export interface ContainerStatus {
  containerID?: string
  image: string
  imageID: string
  lastState?: ContainerState
  name: string
  ready: boolean
  restartCount: number
  started?: boolean
  state?: ContainerState
}

export interface ContainerState {
  running?: { startedAt?: Time }
  terminated?: {
    containerID?: string
    exitCode: number
    finishedAt?: Time
    message?: string
    reason?: string
    signal?: number
    startedAt?: Time
  }
  waiting?: { message?: string; reason?: string }
}

export interface Service {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec?: {
    clusterIP?: string
    clusterIPs?: string[]
    externalName?: string
    internalTrafficPolicy?: string
    ipFamilies?: string[]
    ipFamilyPolicy?: string
    ports?: {
      appProtocol?: string
      name?: string
      nodePort?: number
      port: number
      protocol?: string
      targetPort?: IntOrString
    }[]
    publishNotReadyAddresses?: boolean
    selector?: Record<string, string>
    sessionAffinity?: string
    type?: string
  }
  status?: { loadBalancer?: { ingress?: { hostname?: string; ip?: string }[] } }
}
