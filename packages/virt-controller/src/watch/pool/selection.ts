import type { VirtualMachine, VirtualMachinePoolSelectionPolicy } from '@kubevirt-ts/api'
import { isSelected } from '../label-selector.ts'
import { indexOf } from './member.ts'
import type { Seen } from './seen.ts'

type Order = NonNullable<VirtualMachinePoolSelectionPolicy['sortPolicy']>

const byIndex = (a: VirtualMachine, b: VirtualMachine): number => (indexOf(a) ?? Infinity) - (indexOf(b) ?? Infinity)
const byAge = (a: VirtualMachine, b: VirtualMachine): number => created(a) - created(b)

const orders: Readonly<Record<Exclude<Order, 'Random'>, (a: VirtualMachine, b: VirtualMachine) => number>> = {
  AscendingOrder: byIndex,
  DescendingOrder: (a, b) => byIndex(b, a),
  Oldest: byAge,
  Newest: (a, b) => byAge(b, a),
}

/**
 * The members in the order in which the policy takes them: those that its selectors name first. Without a sort policy
 * the highest number goes first.
 */
export function ordered(
  members: readonly VirtualMachine[],
  policy: VirtualMachinePoolSelectionPolicy | undefined,
  seen: Pick<Seen, 'random' | 'vmiOf'>,
): readonly VirtualMachine[] {
  const order = policy?.sortPolicy ?? 'DescendingOrder'
  const sorted = order === 'Random' ? shuffled(members, seen.random) : members.toSorted(orders[order])
  const chosen = (vm: VirtualMachine): boolean => isChosen(vm, policy?.selectors, seen)
  return [...sorted.filter(chosen), ...sorted.filter((vm) => !chosen(vm))]
}

function isChosen(
  vm: VirtualMachine,
  selectors: VirtualMachinePoolSelectionPolicy['selectors'],
  { vmiOf }: Pick<Seen, 'vmiOf'>,
): boolean {
  if (selectors === undefined) return false
  const { labelSelector, nodeSelectorRequirementMatcher: requirements = [] } = selectors
  if (labelSelector !== undefined && isSelected(labelSelector, vm.metadata.labels)) return true
  const node = vmiOf(vm)?.status?.nodeName
  const labels = { 'kubernetes.io/hostname': node ?? '' }
  return node !== undefined && requirements.length > 0 && isSelected({ matchExpressions: requirements }, labels)
}

function shuffled(members: readonly VirtualMachine[], random: () => number): VirtualMachine[] {
  return members
    .map((vm) => ({ vm, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ vm }) => vm)
}

function created({ metadata }: VirtualMachine): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}
