import { randomInt } from 'node:crypto'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { Lister } from '@kubevirt-ts/controller'

const firstCid = 3
const lastCid = 2 ** 32 - 2

/** Yields context ids that no VMI of the cluster has. What is taken is read from the objects, so a restart knows it. */
export function vsockCids(
  vmis: Lister<VirtualMachineInstance>,
  random = () => randomInt(firstCid, lastCid),
): () => number {
  return () => {
    const taken = new Set(vmis.list().map(({ status }) => status?.VSOCKCID))
    let cid = random()
    while (taken.has(cid)) cid = cid === lastCid ? firstCid : cid + 1
    return cid
  }
}
