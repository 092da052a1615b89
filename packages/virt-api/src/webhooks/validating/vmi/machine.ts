import { architectureSettings } from '@kubevirt-ts/virt-config'
import { invalid, oneOf, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** `*` and `?` of shell patterns; all else stands for itself. */
function matches(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(text)
}

export const machineType: Rule = ({ spec, field, settings }) => {
  const type = spec.domain.machine?.type
  const allowed = architectureSettings(settings.configuration, spec.architecture).emulatedMachines ?? []
  return when(Boolean(type) && !allowed.some((pattern) => matches(pattern, type!)), () =>
    invalid(
      `${field}.domain.machine.type`,
      `${field}.domain.machine.type is not supported: ${type} (allowed values: [${allowed.join(' ')}])`,
    ),
  )
}

const rebootPolicies = ['Reboot', 'Terminate']

export const rebootPolicy: Rule = ({ spec: { domain }, field, settings }) => {
  if (!domain.rebootPolicy) return []
  const path = `${field}.domain.rebootPolicy`
  if (!settings.isEnabled('RebootPolicy')) {
    return [invalid(path, `${path}: the feature gate RebootPolicy is not enabled in the KubeVirt resource`)]
  }
  return when(!rebootPolicies.includes(domain.rebootPolicy), () =>
    invalid(path, `${path} is not supported: ${domain.rebootPolicy}; ${oneOf(rebootPolicies)}`),
  )
}
