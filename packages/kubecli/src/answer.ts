import type { Status } from '@kubevirt-ts/api'
import { ApiError } from './api-error.ts'
import type { ClientResponse } from './kube-client.ts'

/** The object in a good answer; a refusal throws an `ApiError`. */
export function objectOf<T>(response: ClientResponse, request: string): T {
  if (response.status < 200 || response.status > 299) throw new ApiError(statusOf(response), { request })
  try {
    return JSON.parse(response.body.toString()) as T
  } catch (cause) {
    throw new Error(`${request}: the answer is not JSON`, { cause })
  }
}

/** The Status of a refusal. Proxies and webhooks between us and the API server answer in plain text. */
export function statusOf({ status, body }: ClientResponse): Status {
  const text = body.toString()
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && 'kind' in parsed && parsed.kind === 'Status') {
      return { code: status, ...parsed } as Status
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  const message = text.trim().slice(0, 1000)
  const reason = reasons[status]
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  } as Status
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
}
