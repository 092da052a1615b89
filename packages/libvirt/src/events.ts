/** virDomainEventType; the index is libvirt's number. */
const lifecycles = [
  'defined',
  'undefined',
  'started',
  'suspended',
  'resumed',
  'stopped',
  'shutdown',
  'pmsuspended',
  'crashed',
] as const

export type Lifecycle = (typeof lifecycles)[number]

/** What happened to a domain. Listeners get these in the order in which libvirt sent them. */
export type DomainEvent =
  | { readonly kind: 'lifecycle'; readonly domain: string; readonly event: Lifecycle; readonly detail: number }
  | { readonly kind: 'reboot' | 'metadata'; readonly domain: string }
  | { readonly kind: 'agent'; readonly domain: string; readonly connected: boolean }
  | {
      readonly kind: 'ioError'
      readonly domain: string
      readonly path: string
      readonly alias: string
      readonly reason: string
    }
  | { readonly kind: 'deviceAdded' | 'deviceRemoved'; readonly domain: string; readonly alias: string }

/** An unknown number, of a newer libvirt, is undefined. */
export function lifecycleOf(event: number): Lifecycle | undefined {
  return lifecycles[event]
}
