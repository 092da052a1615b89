import type { Default } from './default.ts'

/** What happens to the VM when its node is drained, as the cluster says. */
export const evictionStrategy: Default = ({ spec }, { configuration }) => {
  spec.evictionStrategy ??= configuration.evictionStrategy ?? 'None'
}
