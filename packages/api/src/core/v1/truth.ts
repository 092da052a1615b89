const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
])

/** What clients of KubeVirt write for yes and no, in all words that Go has for them; undefined for any other word. */
export const truthOf = (word: string): boolean | undefined => truths.get(word)
