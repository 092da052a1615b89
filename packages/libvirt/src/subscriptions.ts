import type { TypeObject } from 'koffi'
import { lifecycleOf, type DomainEvent } from './events.ts'
import { library, type Pointer } from './library.ts'

/** One kind of libvirt event: its number, its callback's C type, and the event that its arguments mean. */
export type Subscription = {
  readonly id: number
  readonly prototype: TypeObject
  readonly toEvent: (args: readonly unknown[]) => DomainEvent | undefined
}

/** VIR_CONNECT_DOMAIN_EVENT_AGENT_LIFECYCLE_STATE_CONNECTED */
const agentConnected = 1

/** Everything that this package listens to. The second argument of each callback is the domain. */
export function subscriptions(): readonly Subscription[] {
  const { prototypes } = library()
  return [
    {
      id: 0,
      prototype: prototypes.lifecycle,
      toEvent: ([, domain, number, detail]) => {
        const event = lifecycleOf(number as number)
        return event && { kind: 'lifecycle', domain: nameOf(domain), event, detail: detail as number }
      },
    },
    { id: 1, prototype: prototypes.plain, toEvent: ([, domain]) => ({ kind: 'reboot', domain: nameOf(domain) }) },
    {
      id: 7,
      prototype: prototypes.ioError,
      toEvent: ([, domain, path, alias, , reason]) => ({
        kind: 'ioError',
        domain: nameOf(domain),
        path: path as string,
        alias: alias as string,
        reason: reason as string,
      }),
    },
    {
      id: 15,
      prototype: prototypes.device,
      toEvent: ([, domain, alias]) => ({ kind: 'deviceRemoved', domain: nameOf(domain), alias: alias as string }),
    },
    {
      id: 18,
      prototype: prototypes.lifecycle,
      toEvent: ([, domain, state]) => ({ kind: 'agent', domain: nameOf(domain), connected: state === agentConnected }),
    },
    {
      id: 23,
      prototype: prototypes.metadata,
      toEvent: ([, domain]) => ({ kind: 'metadata', domain: nameOf(domain) }),
    },
    {
      id: 19,
      prototype: prototypes.device,
      toEvent: ([, domain, alias]) => ({ kind: 'deviceAdded', domain: nameOf(domain), alias: alias as string }),
    },
  ]
}

function nameOf(domain: Pointer): string {
  return library().name(domain) as string
}
