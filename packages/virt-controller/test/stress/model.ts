/** What a VM does over its life, as KubeVirt's table of run strategies says; nothing here comes from the product. */

export type Strategy = 'Always' | 'RerunOnFailure' | 'Manual' | 'Halted' | 'Once'

export type Guest = 'none' | 'running' | 'succeeded' | 'failed'

export interface State {
  readonly strategy: Strategy
  readonly guest: Guest
}

export type Action =
  | { readonly kind: 'strategy'; readonly to: Strategy }
  | { readonly kind: 'start' | 'stop' | 'restart' | 'succeed' | 'fail' | 'loseGuest' }

export const strategies: readonly Strategy[] = ['Always', 'RerunOnFailure', 'Manual', 'Halted', 'Once']

/** The actions that make sense in a state. */
export function actionsIn({ strategy, guest }: State): Action[] {
  const isDown = guest !== 'running'
  const byRequest = strategy === 'Manual' || strategy === 'RerunOnFailure'
  return [
    ...strategies.filter((to) => to !== strategy).map((to) => ({ kind: 'strategy', to }) as const),
    ...(isDown && byRequest && guest !== 'failed' ? [{ kind: 'start' } as const] : []),
    ...(guest === 'running' && byRequest ? [{ kind: 'stop' } as const] : []),
    ...(guest === 'running' && strategy !== 'Once' ? [{ kind: 'restart' } as const] : []),
    ...(guest === 'running' ? (['succeed', 'fail', 'loseGuest'] as const).map((kind) => ({ kind })) : []),
  ]
}

/** Where the VM comes to rest after an action, and whether a running guest is another one than before. */
export function after(state: State, action: Action): State & { readonly isNew: boolean } {
  const { strategy, guest } = state
  const at = (next: Guest, isNew = next === 'running'): State & { isNew: boolean } => ({ strategy, guest: next, isNew })
  switch (action.kind) {
    case 'strategy':
      return { ...turnedTo(action.to, guest), strategy: action.to }
    case 'start':
    case 'restart':
      return at('running')
    case 'stop':
      return at('none')
    case 'succeed':
      if (strategy === 'Always') return at('running')
      return at(strategy === 'RerunOnFailure' ? 'none' : 'succeeded')
    case 'fail':
      return at(strategy === 'Always' || strategy === 'RerunOnFailure' ? 'running' : 'failed')
    case 'loseGuest':
      // A user deletes the instance under the VM.
      return at(strategy === 'Always' || strategy === 'Once' ? 'running' : 'none')
  }
}

function turnedTo(to: Strategy, guest: Guest): { readonly guest: Guest; readonly isNew: boolean } {
  const stays = { guest, isNew: false }
  const anew = { guest: 'running', isNew: true } as const
  switch (to) {
    case 'Halted':
      return { guest: 'none', isNew: false }
    case 'Always':
      return guest === 'running' ? stays : anew
    case 'RerunOnFailure':
      if (guest === 'running') return stays
      return guest === 'succeeded' ? { guest: 'none', isNew: false } : anew
    case 'Once':
      return guest === 'none' ? anew : stays
    case 'Manual':
      return stays
  }
}

/** Small and repeatable (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!
}
