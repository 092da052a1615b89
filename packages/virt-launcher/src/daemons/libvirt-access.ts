import { connect, type Connection, type Domain, type DomainEvent } from '@kubevirt-ts/libvirt'
import type { Logger } from '@kubevirt-ts/service'

/**
 * The launcher's connections to libvirt: one for changes, which can take seconds, one for questions, which must not
 * wait for them, one for the guest's agent, which may never answer, and one for its move to another node; the last two
 * are opened when they are first used.
 * They come back by themselves after the daemon was restarted.
 */
export type LibvirtAccess = {
  /** Runs `use` with the domain, or with undefined when there is none. For changes. */
  change<T>(use: (domain: Domain | undefined, connection: Connection) => Promise<T>): Promise<T>
  /** The same for questions. */
  ask<T>(use: (domain: Domain | undefined, connection: Connection) => Promise<T>): Promise<T>
  /** The same for commands to the guest's agent. */
  askAgent<T>(use: (domain: Domain | undefined, connection: Connection) => Promise<T>): Promise<T>
  /** The same for the guest's move to another node, which takes as long as it takes. */
  move<T>(use: (domain: Domain | undefined, connection: Connection) => Promise<T>): Promise<T>
  /** Connects to another node's libvirt, for a move; the caller closes it when that has ended. */
  reach(uri: string): Promise<Connection>
  close(): Promise<void>
}

export type LibvirtAccessOptions = {
  readonly uri: string
  readonly domainName: string
  readonly log: Logger
  readonly onEvent: (event: DomainEvent) => void
  /** After a connection was lost and made again: events may have been missed. */
  readonly onReconnect: () => void
}

/** One purpose's connection: the same for all its callers until it is lost. */
type Lifeline = {
  opened?: Promise<Connection>
  reopening?: Promise<void>
  readonly current: () => Promise<Connection>
}

const retryMs = 250
/** Between nodes more may be slow than within a pod; as libvirt itself has it when it migrates. */
const otherNodeSeconds = 30

/** Connects, again and again until the daemon answers. */
export async function openLibvirt(options: LibvirtAccessOptions): Promise<LibvirtAccess> {
  let closed = false
  const lifeline = (purpose: string, prepare: (connection: Connection) => Promise<void>) => {
    const open = async (): Promise<Connection> => {
      for (;;) {
        try {
          const connection = await connect(options.uri)
          await prepare(connection).catch(async (error: unknown) => {
            await connection.close()
            throw error
          })
          connection.onLost(() => {
            // Only `close` makes it fail, and that waits for it.
            line.reopening = reopen(connection).catch(() => undefined)
          })
          return connection
        } catch (error) {
          if (closed) throw error
          options.log.warn({ error, purpose }, 'libvirt does not answer yet')
          await new Promise((resolve) => setTimeout(resolve, retryMs))
        }
      }
    }
    const line: Lifeline = {
      current: () => (line.opened ??= open()),
    }
    const reopen = async (lost: Connection): Promise<void> => {
      options.log.warn({ purpose }, 'the connection to libvirt was lost')
      const opened = open()
      line.opened = opened
      await Promise.all([lost.close(), opened])
      options.onReconnect()
    }
    return line
  }
  const changes = lifeline('changes', async () => {})
  const questions = lifeline('questions', (connection) => connection.onEvent(options.onEvent))
  const agent = lifeline('agent', async () => {})
  const moves = lifeline('moves', async () => {})
  await Promise.all([changes.current(), questions.current()])

  // A move whose target is not heard any more may wait until the launcher ends, and holds its connection.
  const reached: Promise<Connection>[] = []
  const withDomain = async <T>(
    line: Lifeline,
    use: (domain: Domain | undefined, connection: Connection) => Promise<T>,
  ): Promise<T> => {
    const connection = await line.current()
    const domain = await connection.lookupByName(options.domainName)
    try {
      return await use(domain, connection)
    } finally {
      domain?.[Symbol.dispose]()
    }
  }
  return {
    change: (use) => withDomain(changes, use),
    ask: (use) => withDomain(questions, use),
    askAgent: (use) => withDomain(agent, use),
    move: (use) => withDomain(moves, use),
    reach: (uri) => {
      const opened = connect(uri, { patienceSeconds: otherNodeSeconds })
      reached.push(opened)
      return opened
    },
    async close() {
      closed = true
      const lines = [changes, questions, agent, moves]
      for (const { reopening } of lines) await reopening
      for (const opened of [...lines.map((line) => line.opened), ...reached])
        await opened?.then((connection) => connection.close()).catch(() => undefined)
    },
  }
}
