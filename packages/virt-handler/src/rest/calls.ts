import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { done, json, refusal, type Reply } from './reply.ts'

type Call = (launcher: Launcher, vmi: VirtualMachineInstance) => Promise<Reply>

interface CommandAnswer {
  readonly success: boolean
  readonly message: string
}

const command =
  (send: (launcher: Launcher, request: { vmi: ReturnType<typeof encodeVmi> }) => Promise<CommandAnswer>): Call =>
  async (launcher, vmi) => {
    const { success, message } = await send(launcher, { vmi: encodeVmi(vmi) })
    return success ? done : refusal(500, message)
  }

/** The subresources that are one call to the launcher, by method and name. */
export const calls: Readonly<Record<string, Call>> = {
  'PUT pause': command(({ cmd }, request) => cmd.pauseVirtualMachine(request)),
  'PUT unpause': command(({ cmd }, request) => cmd.unpauseVirtualMachine(request)),
  'PUT softreboot': command(({ cmd }, request) => cmd.softRebootVirtualMachine(request)),
  'PUT reset': command(({ cmd }, request) => cmd.resetVirtualMachine(request)),
  'GET guestosinfo': async ({ cmd }) => json((await cmd.getGuestInfo({})).guestInfoResponse || '{}'),
  'GET userlist': async ({ cmd }) => json((await cmd.getUsers({})).guestUserListResponse || '{"items":[]}'),
  'GET filesystemlist': async ({ cmd }) =>
    json((await cmd.getFilesystems({})).guestFilesystemsResponse || '{"items":[]}'),
}
