import type { Readable, Writable } from 'node:stream'

/** Where a command reads from and writes to. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
}
