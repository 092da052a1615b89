import { invalid, when } from '../cause.ts'
import { isDnsLabel, isDnsSubdomain } from '../names.ts'
import type { Rule } from '../rule.ts'

export const hostname: Rule = ({ spec, field }) =>
  when(Boolean(spec.hostname) && !isDnsLabel(spec.hostname!), () =>
    invalid(
      `${field}.hostname`,
      `${field}.hostname does not conform to the kubernetes DNS_LABEL rules : use at most 63 of a-z, 0-9 and -, with a letter or digit at both ends`,
    ),
  )

export const subdomain: Rule = ({ spec, field }) =>
  when(Boolean(spec.subdomain) && !isDnsSubdomain(spec.subdomain!), () =>
    invalid(
      `${field}.subdomain`,
      `${field}.subdomain does not conform to the kubernetes DNS_SUBDOMAIN rules : use DNS labels joined by dots`,
    ),
  )
