import { CommandError } from '../command.ts'
import type { CommandDefinition } from '../command.ts'

/** A command of the original whose server side this release lacks; it says so whatever it is given. */
const unavailable = (name: string, summary: string, reason: string): CommandDefinition => ({
  name,
  summary: `${summary} Not in this release.`,
  examples: [['See what can be done instead:', name]],
  anything: true,
  run: () => Promise.reject(new CommandError(`${name} is not available in this release of kubevirt-ts: ${reason}`)),
})

export const vmExport = unavailable(
  'vmexport',
  'Export a volume of a virtual machine.',
  'exports are not served yet; mount the claim in a pod and copy its content with kubectl cp',
)
const noDownload = 'exports are not served yet; mount the claim of the dump in a pod and copy it with kubectl cp'

export const downloadMemoryDump = unavailable('memory-dump download', 'Download a memory dump.', noDownload)

export const notDownloadable: CommandError = new CommandError(
  `memory-dump get --output is not available in this release of kubevirt-ts: ${noDownload}`,
)
