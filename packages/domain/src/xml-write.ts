/**
 * An XML element as a plain object: a key that begins with `$` is an attribute, `_` is the text, every other key is
 * a child element, an array of which repeats the element. An element that has only text may be a bare string or
 * number. Keys whose value is undefined are left out.
 */
export type XmlElement = { readonly [key: string]: XmlValue }
export type XmlValue = string | number | undefined | XmlElement | readonly (string | number | XmlElement)[]

/** Writes one element and all below it, indented by two spaces, without an XML declaration. */
export function writeXml(name: string, element: string | number | XmlElement): string {
  return `${lines(name, element, '').join('\n')}\n`
}

function lines(name: string, element: string | number | XmlElement, indent: string): string[] {
  if (typeof element !== 'object') return [`${indent}<${name}>${escapeText(String(element))}</${name}>`]
  const open = `${indent}<${name}${attributes(element)}`
  const children = Object.entries(element).flatMap(([key, value]) => childLines(key, value, `${indent}  `))
  const text = element._ === undefined ? '' : escapeText(String(element._ as string | number))
  if (children.length === 0) return [text === '' ? `${open}/>` : `${open}>${text}</${name}>`]
  return [`${open}>${text}`, ...children, `${indent}</${name}>`]
}

function attributes(element: XmlElement): string {
  return Object.entries(element)
    .filter(([key, value]) => key.startsWith('$') && value !== undefined)
    .map(([key, value]) => ` ${key.slice(1)}="${escapeAttribute(String(value as string | number))}"`)
    .join('')
}

function childLines(key: string, value: XmlValue, indent: string): string[] {
  if (key.startsWith('$') || key === '_' || value === undefined) return []
  const elements = Array.isArray(value) ? value : [value as string | number | XmlElement]
  return elements.flatMap((element) => lines(key, element, indent))
}

/** XML 1.0 has no way to write most control characters, not even as references; such a name must be refused earlier. */
function withoutForbidden(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
}

function escapeText(text: string): string {
  return withoutForbidden(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

// Line breaks and tabs would be read back as spaces if they stood there as they are.
function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
}
