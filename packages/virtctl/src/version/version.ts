import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'
import { reportedVersion } from '@kubevirt-ts/api'

interface VersionInfo {
  readonly gitVersion?: string
  readonly gitCommit?: string
  readonly gitTreeState?: string
  readonly buildDate?: string
  readonly goVersion?: string
  readonly compiler?: string
  readonly platform?: string
}

const own: VersionInfo = {
  gitVersion: reportedVersion,
  gitTreeState: 'clean',
  goVersion: `node ${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
}

/** The form in which the original prints it, which scripts cut up. */
function written(info: VersionInfo): string {
  const field = (name: string, value = '') => `${name}:${JSON.stringify(value)}`
  const fields = [
    field('GitVersion', info.gitVersion),
    field('GitCommit', info.gitCommit),
    field('GitTreeState', info.gitTreeState),
    field('BuildDate', info.buildDate),
    field('GoVersion', info.goVersion),
    field('Compiler', info.compiler),
    field('Platform', info.platform),
  ]
  return `version.Info{${fields.join(', ')}}`
}

export const version: CommandDefinition = {
  name: 'version',
  summary: 'Print the client and server version information.',
  examples: [
    ['Print both versions:', 'version'],
    ['Print only that of virtctl:', 'version --client'],
  ],
  flags: [{ flags: '-c, --client', help: 'only the version of virtctl, no server is asked', default: false }],
  run: async ({ cluster, terminal }, _, flags) => {
    const client = `Client Version: ${written(own)}`
    if (flags['client'] === true) return client
    terminal.stdout.write(`${client}\n`)
    const { client: api } = await cluster()
    const answer = await api.request({ method: 'GET', path: '/apis/subresources.kubevirt.io/v1/version' })
    if (answer.status !== 200) {
      throw new CommandError(`the server answered ${answer.status}: is KubeVirt installed in this cluster?`)
    }
    return `Server Version: ${written(JSON.parse(answer.body.toString()) as VersionInfo)}`
  },
}
