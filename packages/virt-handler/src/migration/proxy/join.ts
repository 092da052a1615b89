import type { Socket } from 'node:net'

/** Passes on what either side sends, as fast as the other takes it, until one ends; then both are over. */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroySoon())
    from.pipe(to)
  }
}
