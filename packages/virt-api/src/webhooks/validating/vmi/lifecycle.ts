import type { Probe } from '@kubevirt-ts/api'
import { invalid, oneOf, required, when } from '../cause.ts'
import type { Rule, Subject } from '../rule.ts'

const evictionStrategies = ['LiveMigrate', 'LiveMigrateIfPossible', 'None', 'External']

export const evictionStrategy: Rule = ({ spec, field }) =>
  when(Boolean(spec.evictionStrategy) && !evictionStrategies.includes(spec.evictionStrategy!), () =>
    invalid(
      `${field}.evictionStrategy`,
      `${field}.evictionStrategy is set with an unrecognized option: ${spec.evictionStrategy}; ${oneOf(evictionStrategies)}`,
    ),
  )

export const startStrategy: Rule = ({ spec, field }) => {
  const path = `${field}.startStrategy`
  if (!spec.startStrategy) return []
  if (spec.startStrategy !== 'Paused') {
    return [
      invalid(path, `${path} is set with an unrecognized option: ${spec.startStrategy}; use Paused or leave it out`),
    ]
  }
  return when(spec.livenessProbe !== undefined, () =>
    invalid(
      path,
      `either ${path} or ${field}.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported`,
    ),
  )
}

const handlersOf = ({ exec, guestAgentPing, httpGet, tcpSocket }: Probe) =>
  [exec, guestAgentPing, httpGet, tcpSocket].filter(Boolean).length

function probeCauses(probe: Probe | undefined, path: string, { spec }: Subject) {
  if (!probe) return []
  const onPodNetwork = spec.networks?.some(({ pod }) => pod) ?? false
  return [
    ...when(handlersOf(probe) > 1, () => invalid(path, `${path} must have exactly one probe type set`)),
    ...when(handlersOf(probe) === 0, () =>
      required(path, `either ${path}.tcpSocket, ${path}.exec or ${path}.httpGet must be set if a ${path} is specified`),
    ),
    ...(['httpGet', 'tcpSocket'] as const).flatMap((handler) =>
      when(probe[handler] !== undefined && !onPodNetwork, () =>
        invalid(
          `${path}.${handler}`,
          `${path}.${handler} is only allowed if the Pod Network is attached; use guestAgentPing or exec`,
        ),
      ),
    ),
  ]
}

export const probes: Rule = (subject) => [
  ...probeCauses(subject.spec.readinessProbe, `${subject.field}.readinessProbe`, subject),
  ...probeCauses(subject.spec.livenessProbe, `${subject.field}.livenessProbe`, subject),
]
