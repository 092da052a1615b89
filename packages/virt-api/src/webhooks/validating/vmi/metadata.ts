import { annotation } from '@kubevirt-ts/api'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { invalid, notSupported, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** Labels by which KubeVirt finds its own objects; users do not set them. */
export const reservedLabels: readonly string[] = [
  'created-by',
  'migrationJobUID',
  'nodeName',
  'migrationTargetNodeName',
  'schedulable',
  'install-strategy',
].map((name) => `kubevirt.io/${name}`)

export const reservedLabelsUnused: Rule = ({ metadata, metadataField, byKubeVirt }) =>
  when(!byKubeVirt && reservedLabels.some((name) => name in (metadata.labels ?? {})), () =>
    notSupported(
      `${metadataField}.labels`,
      `creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited; remove ${reservedLabels.filter((name) => name in metadata.labels!).join(', ')}`,
    ),
  )

const gatedAnnotations: readonly (readonly [annotation: string, gate: FeatureGateName])[] = [
  [annotation.ignitionData, 'ExperimentalIgnitionSupport'],
  [annotation.hookSidecars, 'Sidecar'],
]

export const gatedAnnotationsAllowed: Rule = ({ metadata, metadataField, settings }) =>
  gatedAnnotations.flatMap(([name, gate]) =>
    when(Boolean(metadata.annotations?.[name]) && !settings.isEnabled(gate), () =>
      invalid(
        `${metadataField}.annotations`,
        `invalid entry ${metadataField}.annotations.${name}: the feature gate ${gate} is not enabled; ` +
          'remove the annotation or enable the gate in the KubeVirt resource',
      ),
    ),
  )
