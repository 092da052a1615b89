import { open, stat } from 'node:fs/promises'

/** One kind of request, and how often it was answered. */
export type Requests = {
  /** The program: the user agent's first word. */
  readonly agent: string
  readonly verb: string
  /** With its subresource: `pods/status`. */
  readonly resource: string
  readonly code: number
  readonly count: number
}

type AuditEvent = {
  readonly stage: string
  readonly verb: string
  readonly userAgent?: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly namespace?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestURI: string
}

/** A place in the audit log: what was answered before it lies before it. */
export type Mark = number

/** Reads the API server's own record of what it answered, which leaves nothing out and counts nothing twice. */
export class AuditLog {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async mark(): Promise<Mark> {
    return (await stat(this.#path)).size
  }

  /** Requests between two marks, largest count first; with a namespace those about its objects alone. */
  async requests(from: Mark, to: Mark, namespace?: string): Promise<Requests[]> {
    const counts = new Map<string, Requests>()
    for (const event of await this.#events(from, to)) {
      if (event.stage !== 'ResponseComplete' || event.requestURI.includes('dryRun=')) continue
      if (namespace !== undefined && event.objectRef?.namespace !== namespace) continue
      const request = requestOf(event)
      const key = Object.values(request).join(' ')
      const count = (counts.get(key)?.count ?? 0) + 1
      counts.set(key, { ...request, count })
    }
    return [...counts.values()].toSorted((a, b) => b.count - a.count)
  }

  async #events(from: Mark, to: Mark): Promise<AuditEvent[]> {
    const file = await open(this.#path)
    try {
      const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
      return buffer
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AuditEvent)
    } finally {
      await file.close()
    }
  }
}

function requestOf({ verb, userAgent = '', objectRef, responseStatus }: AuditEvent): Omit<Requests, 'count'> {
  const { resource = '', subresource } = objectRef ?? {}
  return {
    agent: userAgent.split(/[/ ]/)[0] ?? '',
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    code: responseStatus?.code ?? 0,
  }
}

const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

export const isWrite = ({ verb }: Requests): boolean => writeVerbs.has(verb)
export const isEvent = ({ resource }: Requests): boolean => resource === 'events'
export const succeeded = ({ code }: Requests): boolean => code < 400
/** Refused because another wrote first: an old version, or a JSON patch whose test did not hold. */
export const lostRace = ({ code }: Requests): boolean => code === 409 || code === 422

export const total = (requests: readonly Requests[]): number => requests.reduce((sum, { count }) => sum + count, 0)

/** Writes that took place, events apart, by these programs. */
export const writesBy = (requests: readonly Requests[], ...agents: readonly string[]): number =>
  total(requests.filter((each) => isWrite(each) && !isEvent(each) && succeeded(each) && agents.includes(each.agent)))
