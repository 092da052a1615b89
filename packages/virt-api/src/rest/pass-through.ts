import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import type { HandlerAnswer } from './virt-handler.ts'
import type { RestParts, Target } from './parts.ts'
import { fetchVmi } from './subjects.ts'

/** Says why the guest can not do it now, by throwing; silent when it can. */
export type Check = (vmi: VirtualMachineInstance) => void

/** A check that looks at another object, too. */
export type SlowCheck = (vmi: VirtualMachineInstance) => Promise<void>

/** Hands a change with its decoded options to the guest's virt-handler. A refusal there is a 500 here, as clients know it. */
export async function pass(
  { client, virtHandler }: RestParts,
  target: Target,
  subresource: string,
  check: Check | SlowCheck,
  body: object,
): Promise<void> {
  const vmi = await fetchVmi(client, target)
  await check(vmi)
  if (target.dryRun) return
  const sent = Object.keys(body).length > 0 ? Buffer.from(JSON.stringify(body)) : undefined
  const answer = await virtHandler.call(vmi, 'PUT', subresource, sent)
  if (answer.status >= 300) throw unexpected(answer)
}

/** Reads from the guest's virt-handler: its JSON as it is. */
export async function readThrough(
  { client, virtHandler }: RestParts,
  target: Target,
  subresource: string,
  check: Check,
): Promise<HandlerAnswer> {
  const vmi = await fetchVmi(client, target)
  check(vmi)
  const answer = await virtHandler.call(vmi, 'GET', subresource)
  if (answer.status >= 300) throw unexpected(answer)
  return answer
}

const unexpected = ({ status, body }: HandlerAnswer) =>
  new StatusError(500, `Internal error occurred: unexpected return code ${status}, message: ${body.toString().trim()}`)
