import { CommandError } from '../command.ts'
import type { Resource } from './subresource.ts'

const resources: Readonly<Record<string, Resource>> = {
  vm: 'virtualmachines',
  vms: 'virtualmachines',
  virtualmachine: 'virtualmachines',
  virtualmachines: 'virtualmachines',
  vmi: 'virtualmachineinstances',
  vmis: 'virtualmachineinstances',
  virtualmachineinstance: 'virtualmachineinstances',
  virtualmachineinstances: 'virtualmachineinstances',
}

/** The resource that a user means by a word, whatever its case; undefined for another one. */
export const resourceOf = (word: string): Resource | undefined =>
  Object.hasOwn(resources, word.toLowerCase()) ? resources[word.toLowerCase()] : undefined

/** The same where nothing else will do. */
export function neededResource(word: string): Resource {
  const resource = resourceOf(word)
  if (!resource) throw new CommandError(`unsupported resource type ${word}; use vm or vmi`)
  return resource
}
