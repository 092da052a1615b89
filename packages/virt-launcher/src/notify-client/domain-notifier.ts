import type { Domain } from '@kubevirt-ts/domain'
import { createNotifyClient, encodeJson, type DomainEventType } from '@kubevirt-ts/handler-launcher-com'
import type { Logger } from '@kubevirt-ts/service'

/**
 * Tells virt-handler how the domain is. Only the newest state counts: it is sent until the handler has confirmed it,
 * and again whenever the handler was away.
 */
export type DomainNotifier = {
  notify(type: DomainEventType, domain: Domain): void
  /** Resolves when the handler confirmed the newest state, or after the time. */
  delivered(timeoutMs: number): Promise<boolean>
  close(): void
}

const retryMs = 1_000

type Message = { readonly type: DomainEventType; readonly domain: Domain }

export function connectNotifier(socket: string, log: Logger): DomainNotifier {
  const client = createNotifyClient(socket)
  let newest: Message | undefined
  let confirmed: Message | undefined
  let sending = false
  let retry: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []

  const send = async (): Promise<void> => {
    if (sending || newest === undefined || newest === confirmed) return
    sending = true
    clearTimeout(retry)
    const message = newest
    try {
      const { success, message: reason } = await client.handleDomainEvent({
        domainJSON: encodeJson(message.domain),
        statusJSON: Buffer.alloc(0),
        eventType: message.type,
      })
      if (!success) throw new Error(`virt-handler refused the event: ${reason}`)
      confirmed = message
    } catch (error) {
      log.debug({ error, socket }, 'virt-handler did not take the domain event yet')
    }
    sending = false
    if (confirmed !== newest) {
      retry = setTimeout(() => void send(), message === newest ? retryMs : 0)
      return
    }
    for (const resolve of waiting) resolve()
    waiting = []
  }

  client.onConnected(() => {
    confirmed = undefined
    void send()
  })
  return {
    notify(type, domain) {
      newest = { type, domain }
      void send()
    },
    async delivered(timeoutMs) {
      if (newest === confirmed) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      const timer = setTimeout(resolve, timeoutMs)
      await promise
      clearTimeout(timer)
      return newest === confirmed
    },
    close() {
      clearTimeout(retry)
      client.close()
    },
  }
}
