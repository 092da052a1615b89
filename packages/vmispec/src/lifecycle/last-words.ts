/** More than a sentence that people read. */
const most = 300

/**
 * What a container said of its own end, from its termination message: that is the end of its log where it left no other,
 * and the log of our programs has a JSON object on each line. Empty when it said nothing.
 */
export function lastWords(message: string | undefined): string {
  const lines = (message ?? '').split('\n').filter((line) => line.trim() !== '')
  const said = lines.map(read)
  const worst = said.findLast(({ level }) => level === 'fatal') ?? said.findLast(({ level }) => level === 'error')
  const words = (worst ?? said.at(-1))?.words ?? ''
  return words.length > most ? `${words.slice(0, most)}…` : words
}

interface Said {
  readonly level?: string
  readonly words: string
}

function read(line: string): Said {
  if (!line.startsWith('{')) return { words: line.trim() }
  try {
    const { level, msg, error } = JSON.parse(line) as { level?: string; msg?: string; error?: { message?: string } }
    return { ...(level && { level }), words: error?.message ?? msg ?? line }
  } catch {
    return { words: line.trim() }
  }
}
