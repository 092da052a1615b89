import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition } from '../command.ts'
import { reportedVersion } from '@kubevirt-ts/api'
import { textOf } from '../flags.ts'
import { printed } from '../output.ts'

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
  flags: [
    { flags: '-c, --client', help: 'only the version of virtctl, no server is asked', default: false },
    { flags: '-o, --output <form>', help: 'json or yaml; lines for people unless told' },
  ],
  run: async ({ cluster, terminal }, _, flags) => {
    const lines = textOf(flags, 'output') === undefined
    if (flags['client'] === true) return lines ? line('Client', own) : printed({ clientVersion: own }, flags)
    if (lines) terminal.stdout.write(`${line('Client', own)}\n`)
    const serverVersion = await serverVersionOf(await cluster())
    return lines ? line('Server', serverVersion) : printed({ clientVersion: own, serverVersion }, flags)
  },
}

const line = (whose: string, info: VersionInfo) => `${whose} Version: ${written(info)}`

async function serverVersionOf({ client }: Cluster): Promise<VersionInfo> {
  const answer = await client.request({ method: 'GET', path: '/apis/subresources.kubevirt.io/v1/version' })
  if (answer.status === 200) return JSON.parse(answer.body.toString()) as VersionInfo
  throw new CommandError(`the server answered ${answer.status}: is KubeVirt installed in this cluster?`)
}
