import type { AdmissionRequest, AdmissionResponse, AdmissionReview, Status } from '@kubevirt-ts/api'
import { StatusError } from '../status-error.ts'
import type { Admission } from './admitter.ts'
import type { Cause } from './validating/cause.ts'

/** The most causes that an answer carries. */
const maxCauses = 10

/** The request in a body. Throws a 400 for anything that is no AdmissionReview with a request. */
export function reviewRequest(body: unknown): AdmissionRequest {
  let review: unknown
  try {
    review = JSON.parse(Buffer.isBuffer(body) ? body.toString() : '')
  } catch (error) {
    throw new StatusError(400, `the body is not an AdmissionReview: ${(error as Error).message}`, { cause: error })
  }
  const request = (review as AdmissionReview | null)?.request
  if (typeof request?.uid !== 'string' || typeof request.operation !== 'string') {
    throw new StatusError(400, 'the body is not an AdmissionReview with a request')
  }
  return { ...request, userInfo: request.userInfo ?? {} }
}

/** The review with an admitter's answer. */
export function reviewResponse({ uid }: AdmissionRequest, admission: Admission): AdmissionReview {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...answerOf(admission) } }
}

function answerOf({ causes = [], denied, patch, warnings }: Admission): Omit<AdmissionResponse, 'uid'> {
  const extra = warnings && warnings.length > 0 ? { warnings: [...warnings] } : {}
  if (causes.length > 0) return { allowed: false, status: invalidStatus(causes), ...extra }
  if (denied) return { allowed: false, status: { code: denied.code, message: denied.message }, ...extra }
  if (!patch || patch.length === 0) return { allowed: true, ...extra }
  return {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    ...extra,
  }
}

function invalidStatus(causes: readonly Cause[]): Status {
  const shown = causes.slice(0, maxCauses)
  const more = causes.length - shown.length
  return {
    code: 422,
    reason: 'Invalid',
    message: shown.map(({ message }) => message).join(', ') + (more > 0 ? `, and ${more} more validation errors` : ''),
    details: { causes: [...shown] },
  }
}
