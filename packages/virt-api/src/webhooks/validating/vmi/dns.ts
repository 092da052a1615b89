import { isIP } from 'node:net'
import { invalid, required, when } from '../cause.ts'
import { isDnsSubdomain } from '../names.ts'
import type { Rule } from '../rule.ts'

const maxNameservers = 3
const maxSearches = 32
const maxSearchCharacters = 2048

/** The rules that Kubernetes has for a pod's DNS, with the original's bare field names. */
export const dns: Rule = ({ spec, field }) => {
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {}
  return [
    ...when(spec.dnsPolicy === 'None' && !spec.dnsConfig, () =>
      required(`${field}.dnsConfig`, `must provide 'dnsConfig' when 'dnsPolicy' is None`),
    ),
    ...when(spec.dnsPolicy === 'None' && Boolean(spec.dnsConfig) && nameservers.length === 0, () =>
      required('nameservers', `must provide at least one DNS nameserver when 'dnsPolicy' is None`),
    ),
    ...when(nameservers.length > maxNameservers, () =>
      invalid('nameservers', `must not have more than ${maxNameservers} nameservers: ${nameservers.join(', ')}`),
    ),
    ...nameservers
      .filter((server) => isIP(server) === 0)
      .map((server) => invalid('nameservers', `must be valid IP address: ${server}`)),
    ...when(searches.length > maxSearches, () =>
      invalid('searchDomains', `must not have more than ${maxSearches} search paths`),
    ),
    ...when(searches.join(' ').length > maxSearchCharacters, () =>
      invalid('searchDomains', `must not have more than ${maxSearchCharacters} characters in all search paths`),
    ),
    ...searches
      .filter((search) => !isDnsSubdomain(search))
      .map((search) => invalid('searchDomains', `'${search}' is not a DNS name; use labels joined by dots`)),
    ...options.filter(({ name }) => !name).map(() => invalid('options', 'Option.Name must not be empty for value')),
  ]
}
