/** Values of parameters by name. */
export type Values = ReadonlyMap<string, string>

const textReference = /\$\{(\w+)\}/g
/** The whole text is the value, which need not be text then: a number, a list. */
const wholeReference = /^\$\{\{(\w+)\}\}$/

/** An object in which references to parameters, `${NAME}` and `${{NAME}}`, are their values; also in keys. */
export function substituted(node: unknown, values: Values): unknown {
  if (typeof node === 'string') return ofText(node, values)
  if (Array.isArray(node)) return node.map((each) => substituted(each, values))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [inText(key, values), substituted(value, values)] as const)
  return Object.fromEntries(entries)
}

/** What is no parameter stays: scripts for the guest have variables of their own. */
export const inText = (text: string, values: Values): string =>
  text.replaceAll(textReference, (written, name: string) => values.get(name) ?? written)

function ofText(text: string, values: Values): unknown {
  const value = values.get(wholeReference.exec(text)?.[1] ?? '')
  return value === undefined ? inText(text, values) : parsed(value)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}
