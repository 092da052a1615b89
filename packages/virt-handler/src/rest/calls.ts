import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { type Outcome, succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { done, json, type Reply } from './reply.ts'

type Call = (launcher: Launcher, vmi: VirtualMachineInstance) => Promise<Reply>

const command =
  (send: (launcher: Launcher, request: { vmi: ReturnType<typeof encodeVmi> }) => Promise<Outcome>): Call =>
  async (launcher, vmi) => {
    succeeded(await send(launcher, { vmi: encodeVmi(vmi) }))
    return done
  }

/** The subresources that are one call to the launcher, by method and name. */
export const calls: Readonly<Record<string, Call>> = {
  'PUT pause': command(({ cmd }, request) => cmd.pauseVirtualMachine(request)),
  'PUT unpause': command(({ cmd }, request) => cmd.unpauseVirtualMachine(request)),
  'PUT softreboot': command(({ cmd }, request) => cmd.softRebootVirtualMachine(request)),
  'PUT reset': command(({ cmd }, request) => cmd.resetVirtualMachine(request)),
  'GET guestosinfo': async ({ cmd }) => json(succeeded(await cmd.getGuestInfo({})).guestInfoResponse || '{}'),
  'GET userlist': async ({ cmd }) => json(succeeded(await cmd.getUsers({})).guestUserListResponse || '{"items":[]}'),
  'GET filesystemlist': async ({ cmd }) =>
    json(succeeded(await cmd.getFilesystems({})).guestFilesystemsResponse || '{"items":[]}'),
}
