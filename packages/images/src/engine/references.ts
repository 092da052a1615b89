/** Reads lines of `REPOSITORY:TAG ID`; images without a name are left out. */
export function parseReferences(listing: string): Map<string, string> {
  return new Map(
    listing
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([reference = '', id]) => id !== undefined && !reference.includes('<none>'))
      .map(([reference = '', id = '']) => [withRegistry(reference), id]),
  )
}

// docker prints images of its own registry without the host.
function withRegistry(reference: string): string {
  const [first = '', ...rest] = reference.split('/')
  if (rest.length > 0 && (first === 'localhost' || /[.:]/.test(first))) return reference
  return rest.length > 0 ? `docker.io/${reference}` : `docker.io/library/${reference}`
}
