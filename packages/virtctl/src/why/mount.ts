import type { Event, Pod } from '@kubevirt-ts/api'
import { change, kubectl } from './seen.ts'
import type { Seen } from './seen.ts'

/** What kubelet says of a volume that it cannot give to the pod, in plain words, with what cures it. */
interface Told {
  readonly what: string
  readonly fix: string
}

type Reading = readonly [words: RegExp, tell: (found: RegExpExecArray, node: string, seen: Seen) => Told]

/** Messages of kubelet and of its volume plugins. */
const readings: readonly Reading[] = [
  [
    /volume "([^"]+)" : hostPath type check failed: (\S+) is not a (\S+)/,
    ([, volume, path, kind], node, seen) => ({
      what: `node ${node} has no ${kind} ${path}, which volume ${volume} is on; make it there, or name another`,
      fix: change(seen),
    }),
  ],
  [
    /volume "([^"]+)" : (secret|configmap) "([^"]+)" not found/,
    ([, volume, kind, name], _node, seen) => ({
      what: `the ${kind} ${name} of volume ${volume} is not there`,
      fix: kubectl(seen, `create ${kind === 'secret' ? 'secret generic' : kind} ${name} --from-file=KEY=FILE`),
    }),
  ],
]

export function failedMount({ message = '' }: Event, { metadata, spec }: Pod, seen: Seen): Told {
  for (const [words, tell] of readings) {
    const found = words.exec(message)
    if (found) return tell(found, spec?.nodeName ?? '', seen)
  }
  return { what: message || 'the node can not start it', fix: kubectl(seen, `describe pod ${metadata.name}`) }
}
