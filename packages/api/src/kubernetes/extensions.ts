import type { Condition, KubeObject } from './meta.ts'

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    conversion?: { strategy: string; webhook?: unknown }
    group: string
    names: CustomResourceDefinitionNames
    preserveUnknownFields?: boolean
    scope: string
    versions: CustomResourceDefinitionVersion[]
  }
  status?: { acceptedNames?: CustomResourceDefinitionNames; conditions?: Condition[]; storedVersions?: string[] }
}

export interface CustomResourceDefinitionNames {
  categories?: string[]
  kind: string
  listKind?: string
  plural: string
  shortNames?: string[]
  singular?: string
}

export interface CustomResourceDefinitionVersion {
  additionalPrinterColumns?: {
    description?: string
    format?: string
    jsonPath: string
    name: string
    priority?: number
    type: string
  }[]
  deprecated?: boolean
  deprecationWarning?: string
  name: string
  schema?: { openAPIV3Schema?: JSONSchemaProps }
  served: boolean
  storage: boolean
  subresources?: {
    scale?: { labelSelectorPath?: string; specReplicasPath: string; statusReplicasPath: string }
    status?: Record<string, never>
  }
}

/** The structural schemas of our own CRDs use these keywords only. */
export interface JSONSchemaProps {
  additionalProperties?: JSONSchemaProps
  anyOf?: JSONSchemaProps[]
  default?: unknown
  description?: string
  enum?: unknown[]
  format?: string
  items?: JSONSchemaProps
  maxItems?: number
  maxLength?: number
  maximum?: number
  minItems?: number
  minLength?: number
  minimum?: number
  nullable?: boolean
  pattern?: string
  properties?: Record<string, JSONSchemaProps>
  required?: string[]
  type?: string
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-list-type'?: string
  'x-kubernetes-map-type'?: string
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-validations'?: { message?: string; messageExpression?: string; reason?: string; rule: string }[]
}

export interface APIService extends KubeObject {
  spec: {
    /** PEM in base64. */
    caBundle?: string
    group?: string
    groupPriorityMinimum: number
    insecureSkipTLSVerify?: boolean
    service?: { name?: string; namespace?: string; port?: number }
    version?: string
    versionPriority: number
  }
  status?: { conditions?: Condition[] }
}
