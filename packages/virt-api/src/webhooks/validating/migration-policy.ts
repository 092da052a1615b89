import { parseMilli } from '@kubevirt-ts/api'
import type { MigrationPolicy, MigrationPolicySpec } from '@kubevirt-ts/api'
import type { FeatureGateName } from '@kubevirt-ts/virt-config'
import { invalid, when } from './cause.ts'
import type { KindRule } from './of-kind.ts'

type Rule = KindRule<MigrationPolicy>

const timeout: Rule = ({ object: { spec } }) =>
  when((spec.completionTimeoutPerGiB ?? 0) < 0, () =>
    invalid('spec.completionTimeoutPerGiB', 'must not be negative; 0 is no limit'),
  )

const bandwidth: Rule = ({ object: { spec } }) =>
  when(spec.bandwidthPerMigration !== undefined && parseMilli(spec.bandwidthPerMigration) < 0n, () =>
    invalid('spec.bandwidthPerMigration', 'must not be negative; 0 is no limit'),
  )

const gatedOptions: readonly (readonly [string, FeatureGateName, (spec: MigrationPolicySpec) => unknown])[] = [
  ['spec.experimental.downtimeTuning', 'MigrationDowntimeTuning', ({ experimental }) => experimental?.downtimeTuning],
  ['spec.experimental.stallDetector', 'MigrationStallDetection', ({ experimental }) => experimental?.stallDetector],
]

const gates: Rule = ({ object: { spec }, settings }) =>
  gatedOptions.flatMap(([field, gate, read]) =>
    when(read(spec) !== undefined && !settings.isEnabled(gate), () =>
      invalid(field, `${field} needs the feature gate ${gate}, which is not enabled`),
    ),
  )

export const migrationPolicyRules: readonly Rule[] = [timeout, bandwidth, gates]
