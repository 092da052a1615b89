import type { Status, StatusCause } from '@kubevirt-ts/api'

/** The words that Kubernetes has for an HTTP status. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'Timeout',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  414: 'RequestURITooLong',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

export interface StatusErrorOptions {
  readonly kind?: string
  readonly name?: string
  readonly reason?: string
  readonly causes?: readonly StatusCause[]
  readonly cause?: unknown
}

/** A refusal that is sent as a Kubernetes Status. */
export class StatusError extends Error {
  readonly code: number
  readonly options: StatusErrorOptions

  constructor(code: number, message: string, options: StatusErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'StatusError'
    this.code = code
    this.options = options
  }

  toStatus(): Status {
    const { kind, name, reason, causes } = this.options
    const details = { ...(name && { name }), ...(kind && { kind }), ...(causes && { causes: [...causes] }) }
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: reason ?? reasons[this.code] ?? 'Unknown',
      ...(Object.keys(details).length > 0 && { details }),
      code: this.code,
    }
  }
}
