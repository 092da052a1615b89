import type { KubeObject } from '@kubevirt-ts/api'

export interface ObjectReference {
  readonly kind: string
  readonly name: string
  /** Absent for what belongs to the whole cluster. */
  readonly namespace?: string
}

/** The objects beside the workload, as a cluster would have them. */
export interface Objects {
  find(reference: ObjectReference): KubeObject | undefined
  inNamespace(kind: string, namespace: string): readonly KubeObject[]
}

/** An object that names no namespace is in `defaultNamespace`. */
export function objectsOf(all: readonly KubeObject[], defaultNamespace: string): Objects {
  const isIn = (object: KubeObject, namespace: string) => (object.metadata.namespace || defaultNamespace) === namespace
  return {
    find: ({ kind, name, namespace }) =>
      all.find(
        (object) =>
          object.kind === kind && object.metadata.name === name && (namespace === undefined || isIn(object, namespace)),
      ),
    inNamespace: (kind, namespace) => all.filter((object) => object.kind === kind && isIn(object, namespace)),
  }
}
