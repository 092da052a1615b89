/** One count of a guest that counts aloud, and when it was heard, in milliseconds. */
export type Tick = { readonly count: number; readonly atMs: number }

/** User data for a guest that counts aloud on its console about each 10 ms, once so much of its memory is filled. */
export const tickingUserData = ({ filledMiB }: { readonly filledMiB: number }): string => `#!/bin/sh
${filledMiB === 0 ? '' : fill(filledMiB)}(n=0; while :; do n=$((n+1)); echo "tick $n."; usleep 10000; done) &
`

/** With what is not zero: QEMU does not copy pages of zeroes. */
const fill = (mebibytes: number): string => `mkdir -p /run/filled
mount -t tmpfs -o size=${mebibytes + 8}m none /run/filled
yes kubevirt | head -c ${mebibytes}M >/run/filled/file
`

const tick = /^tick (\d+)\.\r?$/

/** Collects counts out of pieces of a console's output. A line that a move cut in two is none. */
export class TickReader {
  readonly ticks: Tick[] = []
  #rest = ''

  take(text: string, atMs: number): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, count] = tick.exec(line) ?? []
      if (count !== undefined) this.ticks.push({ count: Number(count), atMs })
    }
  }
}

/** Milliseconds between a guest's last count at one place and its first at the next; undefined before it has one there. */
export function pauseBetween(before: readonly Tick[], after: readonly Tick[]): number | undefined {
  const [first] = after
  const last = before.findLast(({ count }) => count < (first?.count ?? 0))
  return first === undefined || last === undefined ? undefined : first.atMs - last.atMs
}
