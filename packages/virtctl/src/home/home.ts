import { homePolicies } from '@kubevirt-ts/scheduling'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, FlagValues, Output } from '../command.ts'
import { forgetHome, moveHome, setHome, showHome } from './of-vm.ts'
import { evacuateNode, listHomes, returnToNode } from './of-node.ts'

export interface HomeFlags {
  readonly node?: string
  readonly policy?: string
  readonly allNamespaces: boolean
}

type Action = (cluster: Cluster, name: string, flags: HomeFlags) => Promise<Output>

interface Verb {
  /** What the verb is done to; undefined for verbs without an argument. */
  readonly of?: 'VM' | 'NODE'
  readonly run: Action
}

const verbs: Readonly<Record<string, Verb>> = {
  show: { of: 'VM', run: showHome },
  set: { of: 'VM', run: setHome },
  move: { of: 'VM', run: moveHome },
  forget: { of: 'VM', run: forgetHome },
  list: { run: listHomes },
  evacuate: { of: 'NODE', run: evacuateNode },
  return: { of: 'NODE', run: returnToNode },
}

export const home: CommandDefinition = {
  name: 'home',
  arguments: [['action...', 'show VM, set VM, move VM, forget VM, list, evacuate NODE or return NODE']],
  summary: 'Show and change the node where a virtual machine lives.',
  examples: [
    ["Show where 'myvm' lives:", 'home show myvm'],
    ["Give 'myvm' a home, and let it start elsewhere when it must:", 'home set myvm --node node01 --policy preferred'],
    ["Move the home of 'myvm'; it goes there when it starts next:", 'home move myvm --node node02'],
    ["Let 'myvm' find a new home:", 'home forget myvm'],
    ['List all homes:', 'home list -A'],
    ['Let the virtual machines of a node start elsewhere while it is maintained:', 'home evacuate node01'],
    ['Bring them back:', 'home return node01'],
  ],
  flags: [
    { flags: '--node <name>', help: 'the home, for set and move' },
    { flags: '--policy <policy>', help: `for set: ${homePolicies.join(', ')}` },
    { flags: '-A, --all-namespaces', help: 'for list: in all namespaces', default: false },
  ],
  run: async ({ cluster }, [verb = '', ...names], flags) => {
    const known = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    if (known === undefined) {
      throw new CommandError(`home: "${verb}" is unknown; use ${Object.keys(verbs).join(', ')}`)
    }
    if (names.length !== (known.of === undefined ? 0 : 1)) {
      throw new CommandError(
        known.of === undefined ? `home ${verb} takes no name` : `home ${verb} needs one ${known.of}`,
      )
    }
    return known.run(await cluster(), names[0] ?? '', homeFlags(flags))
  },
}

function homeFlags(flags: FlagValues): HomeFlags {
  const { node, policy, allNamespaces } = flags as { node?: string; policy?: string; allNamespaces?: boolean }
  if (policy !== undefined && !(homePolicies as readonly string[]).includes(policy)) {
    throw new CommandError(`--policy: "${policy}" is not one of ${homePolicies.join(', ')}`)
  }
  return {
    ...(node === undefined ? {} : { node }),
    ...(policy === undefined ? {} : { policy }),
    allNamespaces: allNamespaces === true,
  }
}
