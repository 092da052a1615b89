import type { EventType } from '@kubevirt-ts/controller'
import type { Guest } from './guest.ts'

export interface LauncherEvent {
  readonly type: EventType
  readonly reason: string
  readonly message: string
}

const maxMessage = 1024

/** What a launcher wants its user to know, if it is about its own guest. A launcher may be under a guest's control. */
export function launcherEvent(guest: Guest, event: unknown): LauncherEvent | undefined {
  const { involvedObject, type, reason, message } = (event ?? {}) as Record<string, unknown>
  if ((involvedObject as { uid?: unknown } | undefined)?.uid !== guest.uid) return undefined
  if (typeof reason !== 'string' || !/^[A-Z][A-Za-z0-9]{0,63}$/.test(reason)) return undefined
  return {
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason,
    message: typeof message === 'string' ? message.slice(0, maxMessage) : '',
  }
}
