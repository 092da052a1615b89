/**
 * An error with a stable reason word. The reason is also the reason of the event and of the condition that report it;
 * the message names the object, what was tried and the remedy.
 */
export class VirtError extends Error {
  readonly reason: string

  constructor(reason: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'VirtError'
    this.reason = reason
  }
}

/** The reason word of a `VirtError`, also through its causes; undefined for any other error. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof VirtError) return error.reason
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : undefined
}
