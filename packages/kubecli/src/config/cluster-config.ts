/** How to trust and be trusted; PEM. */
export interface ClusterTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly servername?: string
  /** Only a kubeconfig's insecure-skip-tls-verify turns it off. */
  readonly rejectUnauthorized?: boolean
}

/** An API server and who we are to it. */
export interface ClusterConfig {
  /** `https://host:port` and perhaps a path, without a slash at the end. */
  readonly server: string
  /** The namespace that commands mean when they name none. */
  readonly namespace: string
  readonly tls: ClusterTls
  /** Sent with every request: whom to act as. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** The value of the Authorization header for the next request; undefined with client certificates. */
  authorization(): Promise<string | undefined>
}

export interface Impersonation {
  readonly user?: string | undefined
  readonly uid?: string | undefined
  readonly groups?: readonly string[] | undefined
}

/** The headers that ask the API server to treat us as somebody else. */
export function impersonationHeaders({ user, uid, groups = [] }: Impersonation): ClusterConfig['headers'] {
  if (!user && !uid && groups.length === 0) return undefined
  return {
    ...(user && { 'Impersonate-User': user }),
    ...(uid && { 'Impersonate-Uid': uid }),
    ...(groups.length > 0 && { 'Impersonate-Group': [...groups] }),
  }
}
