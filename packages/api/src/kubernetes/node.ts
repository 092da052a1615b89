import type { Quantity } from '../quantity/quantity.ts'
import type { Condition, ObjectMeta, Time } from './meta.ts'

export interface Node {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
  spec?: NodeSpec
  status?: NodeStatus
}

export interface NodeSpec {
  podCIDR?: string
  podCIDRs?: string[]
  providerID?: string
  taints?: Taint[]
  unschedulable?: boolean
}

export interface Taint {
  effect: string
  key: string
  timeAdded?: Time
  value?: string
}

export interface NodeStatus {
  addresses?: { address: string; type: string }[]
  allocatable?: Record<string, Quantity>
  capacity?: Record<string, Quantity>
  conditions?: (Condition & { lastHeartbeatTime?: Time })[]
  images?: { names?: string[]; sizeBytes?: number }[]
  nodeInfo?: {
    architecture: string
    bootID: string
    containerRuntimeVersion: string
    kernelVersion: string
    kubeletVersion: string
    machineID: string
    operatingSystem: string
    osImage: string
    systemUUID: string
  }
}
