/** What can be printed of a VM or VMI. */
export const outputs = ['mutated', 'admission', 'pod', 'domain'] as const

export type Output = (typeof outputs)[number]

export const isOutput = (word: string | undefined): word is Output => outputs.includes(word as Output)
