import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { KubeObject, KubeVirtConfiguration, Pod, ResourceQuota, VirtualMachineInstance } from '@kubevirt-ts/api'
import type { PersistentVolumeClaim } from '@kubevirt-ts/api'
import { renderLaunchPod } from '../src/render.ts'
import type { TemplateContext } from '../src/render.ts'
import { byMeaning } from './by-meaning.ts'
import { renderContext } from './render-context.ts'

interface Case {
  readonly name: string
  readonly vmi: VirtualMachineInstance
  readonly configuration?: KubeVirtConfiguration
  readonly objects?: readonly KubeObject[]
  readonly pod: Pod
}

/** Cases whose pod differs from the recorded one, each with the reason. */
const knownMisses: Readonly<Record<string, string>> = {}

const file = new URL('data/conformance/pods.jsonl', import.meta.url)
const cases = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)

function contextOf({ configuration, objects = [], vmi }: Case): TemplateContext {
  const found = <T extends KubeObject>(kind: string): T[] => objects.filter((object) => object.kind === kind) as T[]
  const named = (kind: string, name: string): KubeObject | undefined =>
    found(kind).find(({ metadata }) => metadata.name === name)
  return {
    ...renderContext(configuration ?? { developerConfiguration: { useEmulation: true } }),
    sidecarShimImage: 'registry.example/sidecar-shim:v1',
    claim: (name) => named('PersistentVolumeClaim', name) as PersistentVolumeClaim | undefined,
    namespaceLabels: named('Namespace', vmi.metadata.namespace ?? 'default')?.metadata.labels ?? {},
    resourceQuotas: found<ResourceQuota>('ResourceQuota'),
    networkAnnotations: (_, name) => named('NetworkAttachmentDefinition', name)?.metadata.annotations,
  }
}

function identified({ vmi }: Case): VirtualMachineInstance {
  return { ...vmi, metadata: { ...vmi.metadata, uid: '11111111-2222-4333-8444-555555555555' } }
}

test('the recorded cases are all there', () => {
  expect(cases).toHaveLength(211)
})

test.each(cases.map((each) => [each.name, each] as const))('the pod of %s is the recorded one', (name, each) => {
  const rendered = byMeaning(renderLaunchPod(identified(each), contextOf(each)))
  const recorded = byMeaning(each.pod)
  if (name in knownMisses) expect(rendered).not.toEqual(recorded)
  else expect(rendered).toEqual(recorded)
})

test('rendering leaves the VMI as it was', () => {
  const each = cases.find(({ name }) => name === '171-probes-exec-ping')
  if (each === undefined) throw new Error('case 171 is missing')
  const vmi = identified(each)
  const before = structuredClone(vmi)
  renderLaunchPod(vmi, contextOf(each))
  expect(vmi).toEqual(before)
})
