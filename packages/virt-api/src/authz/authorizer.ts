import type { IncomingMessage } from 'node:http'
import { subjectAccessReviews } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Logger } from '@kubevirt-ts/service'
import { verifiedPeerName } from '../authn/peer.ts'
import { userFromHeaders } from '../authn/request-header.ts'
import type { RequestHeaderConfig } from '../authn/request-header.ts'
import { Allowed } from './allowed.ts'
import { resourceAttributes } from './attributes.ts'
import { isOpen } from './open-paths.ts'

/** Undefined: go on. 401 carries the reason as plain text, 500 an empty body, as clients know it. */
export type Verdict = { readonly status: 401 | 500; readonly reason: string } | undefined

export interface AuthorizerOptions {
  readonly client: KubeClient
  readonly requestHeader: () => RequestHeaderConfig | undefined
  readonly log: Logger
  /** The name of the verified client certificate; tests replace it. */
  readonly peerName?: (request: IncomingMessage) => string | undefined
  /** Milliseconds that only go on. */
  readonly now?: () => number
}

export type Authorize = (request: IncomingMessage) => Promise<Verdict>

/** Believes the API server's proxy alone, and asks the API server whether the user may. A failing review denies. */
export function createAuthorizer(options: AuthorizerOptions): Authorize {
  const { client, requestHeader, log, peerName = (request) => verifiedPeerName(request.socket) } = options
  const { now = () => performance.now() } = options
  const allowed = new Allowed()
  return async (request) => {
    const path = new URL(request.url ?? '/', 'https://virt-api').pathname
    if (isOpen(path)) return undefined
    const config = requestHeader()
    const peer = peerName(request)
    if (!config || peer === undefined || !isAllowed(peer, config)) return refused('request is not authenticated')
    const attributes = resourceAttributes(request.method ?? '', path)
    if ('refused' in attributes) return refused(attributes.refused)
    const user = userFromHeaders(request.headersDistinct, config)
    if ('refused' in user) return refused(user.refused)
    const spec = {
      user: user.user.name,
      groups: [...user.user.groups],
      extra: user.user.extra,
      resourceAttributes: attributes.attributes,
    }
    const asked = JSON.stringify(spec)
    if (allowed.has(asked, now())) return undefined
    try {
      const review = await client.create(subjectAccessReviews, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec,
      })
      if (review.status?.allowed) {
        allowed.add(asked, now())
        return undefined
      }
      return refused(review.status?.reason || `user ${user.user.name} may not ${attributes.attributes.verb} ${path}`)
    } catch (error) {
      log.error({ error, path }, 'the access review failed')
      return { status: 500, reason: '' }
    }
  }
}

const refused = (reason: string): Verdict => ({ status: 401, reason })

const isAllowed = (peer: string, { allowedNames }: RequestHeaderConfig) =>
  allowedNames.length === 0 || allowedNames.includes(peer)
