import type { Status } from '@kubevirt-ts/api'

/** The API server's refusal. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly code: number
  /** The server's word: NotFound, Conflict, AlreadyExists, Invalid, Forbidden, Expired, … */
  readonly reason: string
  readonly status: Status

  constructor(status: Status, options: { readonly request: string; readonly code?: number }) {
    const code = status.code ?? options.code ?? 0
    super(`${options.request}: ${status.message ?? `the API server answered ${code}`}`)
    this.name = 'ApiError'
    this.code = code
    this.reason = status.reason ?? 'Unknown'
    this.status = status
  }
}

export const isNotFound = (error: unknown): error is ApiError => hasCode(error, 404)
export const isForbidden = (error: unknown): error is ApiError => hasCode(error, 403)
export const isInvalid = (error: unknown): error is ApiError => hasCode(error, 422)
/** 410: the resource version is too old, list again. */
export const isExpired = (error: unknown): error is ApiError => hasCode(error, 410)
/** Someone else wrote first. AlreadyExists, also a 409, is not meant. */
export const isConflict = (error: unknown): error is ApiError => hasCode(error, 409) && error.reason !== 'AlreadyExists'
export const isAlreadyExists = (error: unknown): error is ApiError =>
  hasCode(error, 409) && error.reason === 'AlreadyExists'
/** 5xx: the server, or one that it asks, failed or was too slow; the same may go through later. */
export const isServerFailure = (error: unknown): error is ApiError => error instanceof ApiError && error.code >= 500

function hasCode(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code
}
