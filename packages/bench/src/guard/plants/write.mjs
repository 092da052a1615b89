// A defect for the test of the guard: each opening of a pod's readiness gate, which happens once for each VMI, is
// followed by one more write of that pod.
import https from 'node:https'

const { request } = https

https.request = (options, ...rest) => {
  const asked = request(options, ...rest)
  if (options.method === 'PATCH' && /\/pods\/[^/]+\/status$/.test(options.path ?? '')) {
    asked.once('response', () => {
      const path = options.path.replace(/\/status$/, '')
      const headers = { ...options.headers, 'content-type': 'application/merge-patch+json' }
      delete headers['content-length']
      const more = request(Object.assign({}, options, { path, headers, signal: undefined }), (answer) =>
        answer.resume(),
      )
      more.on('error', () => {})
      more.end(JSON.stringify({ metadata: { annotations: { planted: 'yes' } } }))
    })
  }
  return asked
}
