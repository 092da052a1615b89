import { createHash } from 'node:crypto'

/** What a node may offer: `domain/name`, of no domain of Kubernetes' own. */
export function isExtendedResource(name: string): boolean {
  const [domain = '', own = '', ...more] = name.split('/')
  if (more.length > 0 || domain.length > 253 || own.length > 63) return false
  if (domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io')) return false
  return /^[a-z\d]([-.a-z\d]*[a-z\d])?$/.test(domain) && /^[A-Za-z\d]([-._A-Za-z\d]*[A-Za-z\d])?$/.test(own)
}

const longest = 60

/** The path of a socket has little room, so that a long name is shortened. */
export function pluginName(resourceName: string): string {
  const name = resourceName.replace('/', '-')
  return name.length <= longest ? name : createHash('sha256').update(resourceName).digest('hex').slice(0, 32)
}
