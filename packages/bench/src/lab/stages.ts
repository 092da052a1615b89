export type PodTiming = {
  /** From bound to Running. */
  readonly startMs: number
  /** From the deletion to the end of the last container, and again until the pod is gone. */
  readonly stopMs: number
}

/**
 * What KWOK plays, in the order in which a kubelet does it: a node becomes Ready; a bound pod Running; a pod with a
 * readiness gate Ready once the gate is open, at once where it is open already; a deleted pod first ends its
 * containers, then it goes.
 */
export const stages = (timing: PodTiming): string =>
  [options, nodeReady, podRunning(timing), podReady, podEnded(timing), podGone(timing)].join('---\n')

// As many as real nodes would do at the same time.
const options = `apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  podPlayStageParallelism: 64
  nodePlayStageParallelism: 16
`

const nodeReady = stage('node-ready', 'Node', {
  selector: [`'.status.conditions.[] | select( .type == "Ready" ) | .status'`, 'NotIn', ['True']],
  statusTemplate: `
conditions:
{{ range NodeConditions }}
- lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ Now | Quote }}
  message: {{ .message | Quote }}
  reason: {{ .reason | Quote }}
  status: {{ .status | Quote }}
  type: {{ .type | Quote }}
{{ end }}
phase: Running
`,
})

const podRunning = ({ startMs }: PodTiming): string =>
  stage('pod-running', 'Pod', {
    selector: [`'.metadata.deletionTimestamp'`, 'DoesNotExist'],
    and: [`'.status.podIP'`, 'DoesNotExist'],
    delayMs: startMs,
    statusTemplate: `
{{ $now := Now }}
{{ $open := not .spec.readinessGates }}
{{ range .status.conditions }}
{{ if and ( eq .type "kubevirt.io/virtual-machine-unpaused" ) ( eq .status "True" ) }}{{ $open = true }}{{ end }}
{{ end }}
conditions:
- { type: Initialized, status: "True", lastTransitionTime: {{ $now | Quote }} }
- { type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ if $open }}
- { type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }} }
{{ else }}
- { type: Ready, status: "False", reason: ReadinessGatesNotReady, lastTransitionTime: {{ $now | Quote }} }
{{ end }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: true
  restartCount: 0
  state: { running: { startedAt: {{ $now | Quote }} } }
{{ end }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}
phase: Running
startTime: {{ $now | Quote }}
`,
  })

const podReady = stage('pod-ready', 'Pod', {
  selector: [`'.metadata.deletionTimestamp'`, 'DoesNotExist'],
  and: [
    `'.status.conditions.[] | select( .type == "kubevirt.io/virtual-machine-unpaused" ) | .status'`,
    'In',
    ['True'],
  ],
  andAlso: [`'.status.conditions.[] | select( .type == "Ready" ) | .status'`, 'In', ['False']],
  statusTemplate: `
conditions:
- { type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }} }
`,
})

const podEnded = ({ stopMs }: PodTiming): string =>
  stage('pod-ended', 'Pod', {
    selector: [`'.metadata.deletionTimestamp'`, 'Exists'],
    and: [`'.status.phase'`, 'In', ['Running']],
    delayMs: stopMs,
    statusTemplate: `
{{ $now := Now }}
containerStatuses:
{{ range .spec.containers }}
- image: {{ .image | Quote }}
  name: {{ .name | Quote }}
  ready: false
  restartCount: 0
  state: { terminated: { exitCode: 0, reason: Completed, finishedAt: {{ $now | Quote }}, startedAt: {{ $now | Quote }} } }
{{ end }}
phase: Succeeded
`,
  })

const podGone = ({ stopMs }: PodTiming): string =>
  stage('pod-gone', 'Pod', {
    selector: [`'.metadata.deletionTimestamp'`, 'Exists'],
    and: [`'.status.phase'`, 'NotIn', ['Running']],
    delayMs: stopMs,
    isLast: true,
  })

type Expression = readonly [key: string, operator: string, values?: readonly string[]]

type Stage = {
  readonly selector: Expression
  readonly and?: Expression
  readonly andAlso?: Expression
  readonly delayMs?: number
  readonly statusTemplate?: string
  readonly isLast?: boolean
}

function stage(name: string, kind: string, { selector, and, andAlso, delayMs, statusTemplate, isLast }: Stage): string {
  const expressions = [selector, and, andAlso].filter((each) => each !== undefined)
  return `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ${name} }
spec:
  resourceRef: { apiGroup: v1, kind: ${kind} }
  selector:
    matchExpressions:
${expressions.map(matchExpression).join('')}${delayMs ? `  delay: { durationMilliseconds: ${delayMs} }\n` : ''}  next:
${isLast === true ? '    finalizers: { empty: true }\n    delete: true\n' : statusPatch(statusTemplate ?? '')}`
}

// As the kubelet does, and unlike KWOK's own way: conditions that another set meanwhile stay.
function statusPatch(template: string): string {
  return `    patches:
    - subresource: status
      root: status
      type: strategic
      template: |
${indented(template)}`
}

function matchExpression([key, operator, values]: Expression): string {
  return `    - { key: ${key}, operator: ${operator}${values === undefined ? '' : `, values: ${JSON.stringify(values)}`} }\n`
}

function indented(text: string): string {
  return `${text.trim().replaceAll(/^/gm, '        ')}\n`
}
