import type { CardWish } from './card.ts'

/** Lines of `ip -force -batch -` that remove what phase 1 added for a card. The pod's own link is not touched. */
export function tearDownCommands({ links: { tap, bridge, pod }, attachment }: Pick<CardWish, 'links' | 'attachment'>) {
  if (attachment.kind === 'passt') return []
  const placeholder = attachment.kind === 'masquerade' ? [] : [pod]
  return [tap, bridge, ...placeholder].map((name) => `link delete dev ${name}`)
}
