const group = '/apis/subresources.kubevirt.io'
const versions = ['v1', 'v1alpha3']
const profilers = ['start', 'stop', 'dump']

/** Paths that anybody may ask for; each is matched whole. */
const openPaths: ReadonlySet<string> = new Set([
  '/',
  '/apis',
  '/healthz',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  ...profilers.map((verb) => `/${verb}-profiler`),
  ...versions.flatMap((version) => [
    `/openapi/v3${group}/${version}`,
    `${group}/${version}`,
    ...['version', 'guestfs', 'healthz', ...profilers.map((verb) => `${verb}-cluster-profiler`)].map(
      (name) => `${group}/${version}/${name}`,
    ),
  ]),
])

export const isOpen = (path: string): boolean => openPaths.has(path)
