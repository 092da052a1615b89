import type { KubeObject } from '@kubevirt-ts/api'

/** These pieces fit VMs and VMIs alike. */
type Piece = (object: KubeObject) => void

export function withName(name: string): Piece {
  return ({ metadata }) => {
    metadata.name = name
  }
}

export function withNamespace(namespace: string): Piece {
  return ({ metadata }) => {
    metadata.namespace = namespace
  }
}

export function withUid(uid: string): Piece {
  return ({ metadata }) => {
    metadata.uid = uid
  }
}

export function withLabel(key: string, value: string): Piece {
  return ({ metadata }) => {
    metadata.labels = { ...metadata.labels, [key]: value }
  }
}

export function withAnnotation(key: string, value: string): Piece {
  return ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [key]: value }
  }
}
