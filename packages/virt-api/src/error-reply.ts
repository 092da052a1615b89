import { ApiError } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { StatusError } from './status-error.ts'

interface HttpError extends Error {
  readonly statusCode?: number
}

/** Fastify's own refusals (body too large, unknown media type, …) carry a status; all else is a fault of ours. */
export function asStatusError(error: unknown, log: Logger): StatusError {
  if (error instanceof StatusError) return error
  if (error instanceof ApiError) return new StatusError(error.code || 500, error.status.message ?? error.message)
  const { statusCode, message } = error as HttpError
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new StatusError(statusCode, message)
  log.error({ error }, 'a request failed unexpectedly')
  return new StatusError(500, 'Internal error occurred: see the log of virt-api', { cause: error })
}
