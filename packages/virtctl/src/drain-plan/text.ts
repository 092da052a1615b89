import { tableLines } from '../table.ts'
import type { Plan, Step } from './seen.ts'

/** One screen: each guest with what becomes of it and why, then the limits and the verdict. */
export function text(plan: Plan): string {
  const { node, virtualMachines: steps, cordoned, notKnown } = plan
  if (steps.length === 0) return `No virtual machine runs on node ${node}.`
  const [head = '', ...others] = tableLines([['VIRTUAL MACHINE', 'ACTION', 'TO'], ...steps.map(rowOf)])
  return [
    `Node ${node}${cordoned ? ' (cordoned)' : ''}: ${counted(steps.length)}`,
    '',
    head,
    ...steps.flatMap((step, index) => [others[index]!, ...noteOf(step)]),
    '',
    limitsOf(plan),
    ...(notKnown.length === 0 ? [] : [`You may not see ${notKnown.join(', ')}: the plan knows nothing of them.`]),
    verdictOf(plan),
  ].join('\n')
}

const rowOf = ({ namespace, name, action, nodes = [] }: Step) => [
  `${namespace}/${name}`,
  action,
  action === 'blocked' ? '-' : nodes.join(', ') || '-',
]

function noteOf({ action, reason, message, remedy }: Step): string[] {
  if (action !== 'blocked') return [`    ${message}`]
  return [`    x ${message} [${reason}]`, ...(remedy === undefined ? [] : [`      ${remedy}`])]
}

function limitsOf({ limits: { perNode, perCluster, underWay } }: Plan): string {
  const now = underWay === 0 ? '' : `, ${underWay} under way or waiting now`
  return `At most ${perNode} guests leave a node at a time and ${perCluster} move in the cluster${now}.`
}

/** What the exit code says, too. */
export function verdictOf({ node, blocked, virtualMachines: { length } }: Plan): string {
  if (blocked === 0) return `Nothing is blocked: kubectl drain ${node} or --apply would empty the node of guests.`
  return `${blocked} of ${counted(length)} blocked: kubectl drain ${node} would not end.`
}

const counted = (count: number) => `${count} virtual machine${count === 1 ? '' : 's'}`
