import { reportedVersion } from '@kubevirt-ts/api'

/** What `/version` answers, in the shape of Kubernetes' version object. */
export const versionInfo = {
  gitVersion: reportedVersion,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '',
  goVersion: `node ${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
}
