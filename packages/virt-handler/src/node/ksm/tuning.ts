/** How the kernel looks for equal pages: whether, how many at a time, and how long it rests between. */
export interface Scan {
  readonly runs: boolean
  readonly pages: number
  readonly sleepMs: number
}

export interface Memory {
  readonly total: number
  readonly available: number
}

// KubeVirt's numbers, which are those of the daemon ksmtuned.
const pages = { first: 100, more: 300, fewer: 50, least: 64, most: 1250 }
const scarce = 0.2
const sleepOf16GiBMs = 10
const bytesOf16GiB = 16 * 1024 ** 3

/**
 * The scan that fits the memory now: it begins when memory is scarce, gets more pages with every look as long as that lasts,
 * fewer afterwards, and ends when there are hardly any.
 */
export function scanFor({ total, available }: Memory, now: Pick<Scan, 'runs' | 'pages'>): Scan {
  const sleepMs = Math.max(sleepOf16GiBMs, Math.round((sleepOf16GiBMs * bytesOf16GiB) / total))
  if (available < total * scarce) {
    const next = now.runs ? Math.min(pages.most, now.pages + pages.more) : pages.first
    return { runs: true, pages: next, sleepMs }
  }
  const next = now.pages - pages.fewer
  return { runs: now.runs && next >= pages.least, pages: Math.max(pages.least, next), sleepMs }
}

/** Reads /proc/meminfo. */
export function memoryOf(meminfo: string): Memory {
  const bytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024
  return { total: bytes('MemTotal'), available: bytes('MemAvailable') }
}
