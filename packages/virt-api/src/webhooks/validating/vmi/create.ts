import { invalid, required, when } from '../cause.ts'
import type { Cause } from '../cause.ts'
import type { Rule, Subject } from '../rule.ts'
import { knownArchitecture } from './architecture.ts'
import { specRules } from './index.ts'

/** A VMI starts at once, so its size must be known. The original gives this cause no field. */
const memoryGiven: Rule = ({ spec: { domain } }) =>
  when(
    domain.memory?.guest === undefined &&
      domain.memory?.hugepages === undefined &&
      domain.resources?.requests?.['memory'] === undefined &&
      domain.resources?.limits?.['memory'] === undefined,
    () =>
      required(
        '',
        `no memory requested, at least one of 'spec.domain.memory.guest', 'spec.domain.memory.hugepages.pageSize' or 'spec.domain.resources.requests.memory' must be set`,
      ),
  )

/** Each volume is shown to the guest as a disk or a filesystem; a memory dump is written by KubeVirt. */
const volumesUsed: Rule = ({ spec, field }) => {
  const devices = spec.domain.devices
  const used = new Set([...(devices.disks ?? []), ...(devices.filesystems ?? [])].map(({ name }) => name))
  return (spec.volumes ?? []).flatMap(({ name, memoryDump }, index) =>
    when(!used.has(name) && !memoryDump, () =>
      invalid(
        `${field}.domain.volumes[${index}].name`,
        `${field}.domain.volumes[${index}].name '${name}' not found in ${field}.domain.devices.disks or filesystems`,
      ),
    ),
  )
}

const createRules: readonly Rule[] = [...specRules, knownArchitecture, memoryGiven, volumesUsed]

/** What is wrong with a new VMI; empty when it is admitted. */
export const validateNewVmi = (subject: Subject): Cause[] => createRules.flatMap((rule) => rule(subject))
