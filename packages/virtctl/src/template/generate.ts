import { randomInt } from 'node:crypto'
import { CommandError } from '../command.ts'

const small = 'abcdefghijklmnopqrstuvwxyz'
const large = small.toUpperCase()
const digits = '0123456789'

const classes: Readonly<Record<string, string>> = {
  '\\w': `${small}${large}${digits}_`,
  '\\d': digits,
  '\\a': small + large,
  '\\A': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
}

const placeholder = /\[([\w\\-]+)\]\{(\w+)\}/g
const mostCharacters = 255

/** Random text of a form such as `[a-z0-9]{8}`, in which each place in brackets is drawn; the rest stays. */
export function generated(form: string): string {
  return form.replaceAll(placeholder, (written, range: string, count: string) => {
    const length = Number(count)
    if (!Number.isInteger(length) || length < 1 || length > mostCharacters)
      throw new CommandError(`${written}: a length is from 1 to ${mostCharacters}`)
    const characters = charactersOf(range, written)
    return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
  })
}

function charactersOf(range: string, written: string): readonly string[] {
  const all = [...range.matchAll(/\\.|(\w)-(\w)|./g)].flatMap(([part, from, to]) => {
    if (from !== undefined && to !== undefined) return between(from, to, written)
    if (!part.startsWith('\\')) return [part]
    if (classes[part] === undefined)
      throw new CommandError(`${written}: ${part} is not known; use ${Object.keys(classes).join(', ')}`)
    return classes[part].split('')
  })
  return [...new Set(all)]
}

function between(from: string, to: string, written: string): string[] {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
  if (first > last) throw new CommandError(`${written}: ${from}-${to} is empty; write ${to}-${from}`)
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at))
}
