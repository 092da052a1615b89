import type { ConfigMap } from '@kubevirt-ts/api'

/** What `kube-system/extension-apiserver-authentication` says about the proxy in front of aggregated APIs. */
export interface RequestHeaderConfig {
  /** PEM: authorities that the proxy's client certificate is signed by. */
  readonly clientCa: string
  /** Names that the proxy may have; empty: any. */
  readonly allowedNames: readonly string[]
  readonly userHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/** The ConfigMap in the namespace kube-system that holds it. */
export const authenticationConfigMap = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }

/** Reads the ConfigMap; undefined when it has no client CA, without which nobody can be believed. */
export function requestHeaderConfig(configMap: ConfigMap | undefined): RequestHeaderConfig | undefined {
  const data = configMap?.data ?? {}
  const clientCa = data['requestheader-client-ca-file']
  if (!clientCa) return undefined
  const list = (key: string, builtIn: readonly string[]) => [
    ...new Set([...builtIn, ...words(data[key]).map((word) => word.toLowerCase())]),
  ]
  return {
    clientCa,
    allowedNames: words(data['requestheader-allowed-names']),
    userHeaders: list('requestheader-username-headers', ['x-remote-user']),
    groupHeaders: list('requestheader-group-headers', ['x-remote-group']),
    extraPrefixes: list('requestheader-extra-headers-prefix', ['x-remote-extra-']),
  }
}

function words(json: string | undefined): string[] {
  if (!json) return []
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

/** Who asks, as the proxy says. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, string[]>>
}

/** Header names with all their values: Node joins repeated ones, and a group's name may hold the comma it joins with. */
export type DistinctHeaders = Readonly<Record<string, string[] | undefined>>

export type UserResult = { readonly user: User } | { readonly refused: string }

/** The user that the headers name; a request without one, or without a group, is refused. */
export function userFromHeaders(headers: DistinctHeaders, config: RequestHeaderConfig): UserResult {
  const first = (names: readonly string[]) => names.flatMap((name) => headers[name] ?? [])
  const name = first(config.userHeaders)[0]
  if (!name) return { refused: 'a valid user header is required for authorization' }
  const groups = first(config.groupHeaders)
  if (groups.length === 0) return { refused: 'a valid group header is required for authorization' }
  return { user: { name, groups, extra: extraFrom(headers, config.extraPrefixes) } }
}

function extraFrom(headers: DistinctHeaders, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {}
  for (const [header, values] of Object.entries(headers)) {
    const prefix = prefixes.find((each) => header.toLowerCase().startsWith(each))
    if (prefix === undefined || !values) continue
    const key = decoded(header.toLowerCase().slice(prefix.length))
    extra[key] = [...(extra[key] ?? []), ...values]
  }
  return extra
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
