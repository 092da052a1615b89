/** The namespace of KubeVirt's part of a domain's metadata. */
export const metadataNamespace = 'http://kubevirt.io'

export type GracePeriodMetadata = {
  readonly deletionGracePeriodSeconds?: string | number
  /** When the first shutdown was asked for, as RFC 3339. */
  readonly deletionTimestamp?: string
  /** The pod is being stopped: virt-handler must shut the guest down. */
  readonly markedForGracefulShutdown?: 'true' | 'false'
}

export type MigrationMetadata = {
  readonly uid?: string
  readonly startTimestamp?: string
  readonly endTimestamp?: string
  readonly failed?: 'true' | 'false'
  readonly abortStatus?: string
  readonly failureReason?: string
  /** The target may run the guest although the move failed here: this copy stands still until that is known. */
  readonly inDoubt?: 'true'
  readonly mode?: string
  /** Told with reports alone, never written to the domain. */
  readonly progress?: {
    readonly totalBytes: number
    readonly remainingBytes: number
    readonly bytesPerSecond: number
    readonly downtimeMs?: number
  }
}

/** What KubeVirt remembers inside the domain itself, so that it survives the launcher's restart. */
export type KubeVirtMetadata = {
  readonly $xmlns?: string
  readonly uid?: string | Record<string, never>
  readonly graceperiod?: GracePeriodMetadata
  readonly migration?: MigrationMetadata
  readonly accessCredential?: { readonly succeeded?: 'true' | 'false'; readonly message?: string }
}
