/** One thing about a machine that its user should know. */
export interface Fact {
  /** `blocking`: the machine does not do what it is told because of it; `notice`: good to know. */
  readonly weight: 'blocking' | 'notice'
  /** A stable word for tools, mostly the condition's own reason. */
  readonly reason: string
  /** In plain words. */
  readonly what: string
  /** RFC 3339; absent where nothing tells it. */
  readonly since?: string
  /** The command that would cure it, where there is one. */
  readonly fix?: string
}

/** One object on the way from what a user wrote to what runs. */
export interface Link {
  readonly kind: 'VM' | 'VMI' | 'Pod' | 'Node' | 'Domain'
  readonly name: string
  /** In a word, such as Running. */
  readonly state: string
  readonly since?: string
  readonly facts: readonly Fact[]
}

type Told = Partial<Pick<Fact, 'since' | 'fix'>>

const factOf =
  (weight: Fact['weight']) =>
  (reason: string, what: string, { since, fix }: Told = {}): Fact => ({
    weight,
    reason,
    what,
    ...(since && { since }),
    ...(fix && { fix }),
  })

export const blocking = factOf('blocking')
export const notice = factOf('notice')

/** `[fact]` when it holds, else nothing. */
export const when = (holds: unknown, fact: () => Fact): Fact[] => (holds ? [fact()] : [])
