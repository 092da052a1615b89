/** The product's own version. */
export const productVersion = '0.1.0'

/**
 * The KubeVirt release whose API this is: clients of another minor release tell their users of the difference.
 * The product's version stands behind it as build metadata, which no comparison looks at.
 */
export const compatibleRelease = 'v1.9.0'

/** What `/version` answers, in the shape of Kubernetes' version object. */
export const versionInfo = {
  gitVersion: `${compatibleRelease}+kubevirt-ts.${productVersion}`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '',
  goVersion: `node ${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
}
