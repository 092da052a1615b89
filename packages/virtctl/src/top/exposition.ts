/** One value of Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Reads the values whose names begin with `prefix`; all else is passed over. */
export function readExposition(text: string, prefix: string): Sample[] {
  return text.split('\n').flatMap((each) => {
    if (!each.startsWith(prefix)) return []
    const [, name, labels = '', value] = line.exec(each) ?? []
    const number = Number(value)
    if (name === undefined || Number.isNaN(number)) return []
    return [{ name, labels: labelsOf(labels), value: number }]
  })
}

const labelsOf = (text: string) =>
  Object.fromEntries([...text.matchAll(labelPattern)].map(([, key, value]) => [key!, unescaped(value!)]))

const unescaped = (text: string) =>
  text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character))
