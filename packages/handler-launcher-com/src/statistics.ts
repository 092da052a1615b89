/** What `GetDomainStats` answers, as JSON. */
export type GuestStatistics = {
  /** libvirt's statistics by libvirt's names, such as `cpu.time` (ns) or `block.0.rd.bytes`. */
  readonly domain: Readonly<Record<string, number | boolean | string>>
  /** Average numbers of runnable processes in the guest, when its agent tells. */
  readonly load?: { readonly m1: number; readonly m5: number; readonly m15: number }
  /** The guest's file systems, when its agent tells. */
  readonly filesystems?: readonly {
    readonly diskName: string
    readonly mountPoint: string
    readonly fileSystemType: string
    readonly usedBytes: number
    readonly totalBytes: number
  }[]
}
