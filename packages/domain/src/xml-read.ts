import type { XmlElement } from './xml-write.ts'

/** What is wrong with the text and where, counted in characters from its beginning. */
export class XmlError extends Error {
  constructor(reason: string, position: number) {
    super(`not a domain's XML: ${reason} at character ${position}`)
    this.name = 'XmlError'
  }
}

// libvirt's answers for the largest guests stay below a tenth of this.
const maximumLength = 8 * 1024 * 1024
const maximumDepth = 64

export type ReadElement = { readonly name: string; readonly element: string | XmlElement }

/**
 * Reads one XML document in the shape that `writeXml` takes. Elements without attributes and children become
 * strings, or `{}` when they are empty.
 *
 * Text with a document type is refused, so there are no entities but XML's own five and numbered characters.
 * Namespace prefixes are kept as part of the name.
 *
 * @param repeats whether a child may occur several times below its parent, and so becomes an array
 */
export function readXml(text: string, repeats: (parent: string, child: string) => boolean): ReadElement {
  if (text.length > maximumLength) throw new XmlError(`longer than ${maximumLength} characters`, maximumLength)
  const root: Open = { name: '', element: {}, text: '' }
  const open: Open[] = [root]
  for (const token of tokens(text)) step(open, token, repeats)
  if (open.length > 1) throw new XmlError(`<${open.at(-1)!.name}> is not closed`, text.length)
  const names = Object.keys(root.element)
  if (names.length !== 1) throw new XmlError('there must be one outermost element', text.length)
  return { name: names[0]!, element: root.element[names[0]!] as string | XmlElement }
}

type Open = { name: string; element: Record<string, unknown>; text: string }
type Token = { kind: 'open' | 'empty' | 'close' | 'text'; value: string; attributes?: [string, string][]; at: number }

// One alternative per thing that can stand in a document; the order matters.
const pattern =
  /<!--(?:[^-]|-(?!->))*-->|<\?[^>]*\?>|<!\[CDATA\[(?<cdata>(?:[^\]]|\](?!\]>))*)\]\]>|<\/(?<close>[\w:.-]+)\s*>|<(?<open>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>|(?<text>[^<]+)/y

function* tokens(text: string): Generator<Token> {
  pattern.lastIndex = 0
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw new XmlError('unexpected text', at)
    const next = pattern.lastIndex
    if (groups.close !== undefined) yield { kind: 'close', value: groups.close, at }
    else if (groups.open !== undefined)
      yield {
        kind: groups.empty ? 'empty' : 'open',
        value: groups.open,
        attributes: attributesOf(groups.attributes!, at),
        at,
      }
    else if (groups.text !== undefined) yield { kind: 'text', value: unescape(groups.text, at), at }
    else if (groups.cdata !== undefined) yield { kind: 'text', value: groups.cdata, at }
    pattern.lastIndex = next
  }
}

function attributesOf(text: string, at: number): [string, string][] {
  return [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, double, single]) => [
    name!,
    unescape(double ?? single!, at),
  ])
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescape(text: string, at: number): string {
  return text.replaceAll(/&([^;&]*);?/g, (_, name: string) => {
    const number = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name)
    const code = number ? Number.parseInt(number[1] ?? number[2]!, number[1] === undefined ? 10 : 16) : undefined
    if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code)
    if (Object.hasOwn(named, name)) return named[name]!
    throw new XmlError(`unknown entity &${name.slice(0, 20)}`, at)
  })
}

type Repeats = (parent: string, child: string) => boolean

function step(open: Open[], token: Token, repeats: Repeats): void {
  const top = open.at(-1)!
  if (token.kind === 'text') {
    if (open.length === 1 && token.value.trim() !== '') throw new XmlError('text outside the element', token.at)
    top.text += token.value
    return
  }
  if (token.kind === 'close') {
    if (open.length === 1 || top.name !== token.value) throw new XmlError(`unexpected </${token.value}>`, token.at)
    open.pop()
    add(open.at(-1)!, top, repeats, token.at)
    return
  }
  if (open.length > maximumDepth) throw new XmlError(`more than ${maximumDepth} levels`, token.at)
  const attributes = token.attributes!.map(([name, value]) => [`$${name}`, value])
  const element: Open = { name: token.value, element: Object.fromEntries(attributes), text: '' }
  if (token.kind === 'empty') add(top, element, repeats, token.at)
  else open.push(element)
}

function add(parent: Open, child: Open, repeats: Repeats, at: number): void {
  const value = finished(child)
  const before = Object.hasOwn(parent.element, child.name) ? parent.element[child.name] : undefined
  if (repeats(parent.name, child.name)) {
    if (before === undefined) define(parent.element, child.name, [value])
    else (before as unknown[]).push(value)
  } else if (before === undefined) define(parent.element, child.name, value)
  // Elements that this project does not know may repeat as they like: the first one is kept.
  else if (parent.name === '') throw new XmlError('there must be one outermost element', at)
}

// A name such as __proto__ must become a property like any other.
function define(element: object, name: string, value: unknown): void {
  Object.defineProperty(element, name, { value, enumerable: true, writable: true, configurable: true })
}

function finished({ element, text }: Open): unknown {
  const bare = Object.keys(element).length === 0
  if (bare) return text.trim() === '' ? {} : text.trim()
  if (text.trim() !== '') define(element, '_', text.trim())
  return element
}
