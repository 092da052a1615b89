import type { LabelSelector } from '../generated/index.ts'
import type { Condition, IntOrString, KubeObject, RawExtension } from './meta.ts'
import type { PodTemplateSpec } from './pod.ts'

export interface ControllerRevision extends KubeObject {
  data?: RawExtension
  revision: number
}

export interface Deployment extends KubeObject {
  spec?: {
    paused?: boolean
    replicas?: number
    revisionHistoryLimit?: number
    selector: LabelSelector
    strategy?: { rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString }; type?: string }
    template: PodTemplateSpec
  }
  status?: {
    availableReplicas?: number
    conditions?: Condition[]
    observedGeneration?: number
    readyReplicas?: number
    replicas?: number
    updatedReplicas?: number
  }
}

export interface DaemonSet extends KubeObject {
  spec?: {
    revisionHistoryLimit?: number
    selector: LabelSelector
    template: PodTemplateSpec
    updateStrategy?: { rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString }; type?: string }
  }
  status?: {
    conditions?: Condition[]
    currentNumberScheduled: number
    desiredNumberScheduled: number
    numberAvailable?: number
    numberMisscheduled: number
    numberReady: number
    numberUnavailable?: number
    observedGeneration?: number
    updatedNumberScheduled?: number
  }
}

export interface Job extends KubeObject {
  spec?: { backoffLimit?: number; template: PodTemplateSpec }
  status?: { active?: number; conditions?: Condition[]; failed?: number; succeeded?: number }
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: { maxUnavailable?: IntOrString; minAvailable?: IntOrString; selector?: LabelSelector }
  status?: { currentHealthy?: number; desiredHealthy?: number; disruptionsAllowed?: number; expectedPods?: number }
}
