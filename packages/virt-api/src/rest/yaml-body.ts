import { StatusError } from '../status-error.ts'

/** No object of the API is larger in YAML; a parser of YAML takes ten times as long as one of JSON. */
const mostBytes = 64 * 1024
const mostNested = 64

/** More list or key marks in a row than anybody writes. */
const marksInARow = new RegExp(`(?:[-?][ \\t]+){${mostNested}}`)

/**
 * The value of a body in YAML. Throws a 413 for one that is too long, and for one that cannot be read. The parser is
 * loaded when somebody sends such a body; text that would keep it busy for seconds never gets to it.
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (Buffer.byteLength(text) > mostBytes) {
    throw new StatusError(413, `a body in YAML may have ${mostBytes / 1024} KiB: send a longer one as JSON`)
  }
  if (nesting(text) > mostNested || marksInARow.test(text)) throw new Error('exceeded max depth')
  const { parse } = await import('yaml')
  return parse(text, { schema: 'core', logLevel: 'error', uniqueKeys: false }) as unknown
}

/** How deep brackets and braces are nested, wherever they stand. */
function nesting(text: string): number {
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1)
  }
  return deepest
}
