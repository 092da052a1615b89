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
  /** The value of the Authorization header for the next request; undefined with client certificates. */
  authorization(): Promise<string | undefined>
}
