/** Higher goes first. A user's change overtakes the repetition of known work. */
export const priority = { resync: -100, normal: 0, user: 100 } as const

export type Priority = number
