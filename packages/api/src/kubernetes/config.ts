import type { KubeObject } from './meta.ts'

export interface ConfigMap extends KubeObject {
  /** Values in base64. */
  binaryData?: Record<string, string>
  data?: Record<string, string>
  immutable?: boolean
}

export interface Secret extends KubeObject {
  /** Values in base64. */
  data?: Record<string, string>
  immutable?: boolean
  /** Plain values; the API server moves them to `data`. */
  stringData?: Record<string, string>
  type?: string
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string }
}

export interface ServiceAccount extends KubeObject {
  automountServiceAccountToken?: boolean
  imagePullSecrets?: { name?: string }[]
}
