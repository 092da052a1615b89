/** The part of a kubeconfig user that names a provider built into kubectl. */
export interface AuthProvider {
  readonly name?: string
  readonly config?: Readonly<Record<string, string>>
}

/**
 * The Authorization header of an `oidc` provider, which kubectl keeps fresh in the kubeconfig: its id-token while it is
 * valid. Throws an error with the remedy for an expired one and for providers that Kubernetes has removed.
 */
export function providerAuthorization({ name, config = {} }: AuthProvider): string {
  if (name !== 'oidc') {
    throw new Error(`auth provider "${name}" is not supported, Kubernetes has removed it; use an exec plugin instead`)
  }
  const token = config['id-token']
  if (token === undefined || expiryOf(token) < Date.now()) {
    throw new Error('the id-token of auth provider "oidc" is missing or has expired; run a kubectl command to renew it')
  }
  return `Bearer ${token}`
}

/** In milliseconds of the epoch; a token that does not tell never expires. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: number }
    return (claims.exp ?? Infinity) * 1000
  } catch {
    return Infinity
  }
}
