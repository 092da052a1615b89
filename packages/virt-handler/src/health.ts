import type { RouteReply } from '@kubevirt-ts/service'

/** What tools compare with the cluster: whether the API server answers, and which configuration is in use. */
export function healthReply(lastContactMs: number, nowMs: number, configurationVersion: string): RouteReply {
  const connectivity = nowMs - lastContactMs < contactLostMs ? 'ok' : 'failed'
  const body = { apiserver: { connectivity }, 'config-resource-version': configurationVersion }
  // Not a reason to be restarted: without the API server this process goes on to serve its guests.
  return { status: 200, body: JSON.stringify(body), contentType: 'application/json' }
}

/** Watches are renewed within ten minutes. */
const contactLostMs = 11 * 60_000
