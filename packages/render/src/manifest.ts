import type { KubeObject, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { parseAllDocuments } from 'yaml'
import type { ScalarTag } from 'yaml'

export type Workload = VirtualMachine | VirtualMachineInstance

const workloadKinds = ['VirtualMachine', 'VirtualMachineInstance']

/**
 * The documents of a YAML or JSON text, lists taken apart. Words mean what they mean to kubectl: `yes` is a boolean and
 * 0644 octal, but 02:00:00:00:00:01 is a string. Throws with the file's name and the line of the first mistake.
 */
export function documentsIn(text: string, file: string): KubeObject[] {
  const parsed = parseAllDocuments(text, { merge: true, customTags: (tags) => [...olderTags, ...tags] })
  return parsed.flatMap((document) => {
    const [mistake] = document.errors
    if (mistake) throw new Error(`${file} is not valid YAML: ${mistake.message}`, { cause: mistake })
    const value: unknown = document.toJS()
    if (value === null) return []
    if (typeof value !== 'object' || Array.isArray(value))
      throw new Error(`${file} must hold objects, not ${text.slice(0, 40)}`)
    const { items } = value as { items?: unknown }
    return (Array.isArray(items) ? items : [value]) as KubeObject[]
  })
}

const words = { true: /^(?:y|Y|yes|Yes|YES|on|On|ON)$/, false: /^(?:n|N|no|No|NO|off|Off|OFF)$/ }

/** What YAML 1.1, which kubectl reads, has and 1.2 has not. */
const olderTags: ScalarTag[] = [
  { tag: 'tag:yaml.org,2002:bool', default: true, test: words.true, resolve: () => true },
  { tag: 'tag:yaml.org,2002:bool', default: true, test: words.false, resolve: () => false },
  { tag: 'tag:yaml.org,2002:int', default: true, test: /^[-+]?0[0-7]+$/, resolve: (text) => Number.parseInt(text, 8) },
  { tag: 'tag:yaml.org,2002:int', default: true, test: /^0b[01]+$/, resolve: (text) => Number(text) },
]

/** The one VM or VMI among the documents, and all others. */
export function oneWorkload(
  documents: readonly KubeObject[],
  file: string,
): { readonly workload: Workload; readonly others: readonly KubeObject[] } {
  const workloads = documents.filter(({ kind = '' }) => workloadKinds.includes(kind))
  const [workload] = workloads
  if (workload === undefined || workloads.length > 1) {
    throw new Error(`${file} must hold one ${workloadKinds.join(' or ')}, but holds ${workloads.length}`)
  }
  return { workload: workload as Workload, others: documents.filter((each) => each !== workload) }
}
