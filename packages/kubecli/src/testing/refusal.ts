import type { Status } from '@kubevirt-ts/api'
import { ApiError } from '../api-error.ts'

/** What a client throws when the API server refuses. */
export function refusal(code: number, reason: string, message: string): ApiError {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message } as Status
  return new ApiError(status, { request: 'fake' })
}
