import { subjectAccessReviews } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { RouteHandler, RouteReply } from '@kubevirt-ts/service'
import type { IncomingMessage } from 'node:http'

interface User {
  readonly username?: string
  readonly uid?: string
  readonly groups?: string[]
}

const refusedMs = 10_000
const unauthenticated: RouteReply = { status: 401, body: 'Unauthorized: send a bearer token of the cluster\n' }

/**
 * Lets in whom the API server knows and allows: a bearer token (TokenReview) whose owner may `get` the path
 * (SubjectAccessReview). Answers are remembered for ten seconds.
 */
export function authenticated(path: string, client: KubeClient, handler: RouteHandler): RouteHandler {
  const known = new Map<string, { readonly reply: RouteReply | undefined; readonly until: number }>()
  return async (request) => {
    const token = tokenOf(request)
    if (token === undefined) return unauthenticated
    const now = Date.now()
    for (const [key, { until }] of known) if (until <= now) known.delete(key)
    const refusal = known.has(token) ? known.get(token)!.reply : await refusalOf(token, path, client)
    known.set(token, { reply: refusal, until: now + refusedMs })
    return refusal ?? handler(request)
  }
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

async function refusalOf(token: string, path: string, client: KubeClient): Promise<RouteReply | undefined> {
  const user = await userOf(token, client)
  if (user === undefined) return unauthenticated
  const review = await client.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      nonResourceAttributes: { path, verb: 'get' },
      ...(user.username === undefined ? {} : { user: user.username }),
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.groups === undefined ? {} : { groups: user.groups }),
    },
  })
  if (review.status?.allowed === true) return undefined
  return { status: 403, body: `Forbidden: ${user.username} may not get ${path}\n` }
}

async function userOf(token: string, client: KubeClient): Promise<User | undefined> {
  const { status, body } = await client.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
  })
  if (status !== 200 && status !== 201) throw new Error(`the API server refused to review a token (${status})`)
  const review = JSON.parse(body.toString()) as { status?: { authenticated?: boolean; user?: User } }
  return review.status?.authenticated === true ? review.status.user : undefined
}
