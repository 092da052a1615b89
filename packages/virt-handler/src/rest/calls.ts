import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { encodeVmi } from '@kubevirt-ts/handler-launcher-com'
import { type Outcome, succeeded } from '../launcher-clients/answer.ts'
import type { Launcher } from '../launcher-clients/launcher-clients.ts'
import { done, json, picture, type Reply } from './reply.ts'
import { unfreezeSeconds } from './unfreeze-timeout.ts'

/** What came with the request is its body's text. */
type Call = (launcher: Launcher, vmi: VirtualMachineInstance, body: string) => Promise<Reply>

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
  'PUT freeze': async ({ cmd }, vmi, body) => {
    succeeded(await cmd.freezeVirtualMachine({ vmi: encodeVmi(vmi), unfreezeTimeoutSeconds: unfreezeSeconds(body) }))
    return done
  },
  'PUT unfreeze': command(({ cmd }, request) => cmd.unfreezeVirtualMachine(request)),
  'GET vnc/screenshot': async ({ cmd }, vmi) => {
    const { data, mime } = succeeded(await cmd.getScreenshot({ vmi: encodeVmi(vmi) }))
    return picture(Buffer.from(data), mime)
  },
  'GET guestosinfo': async ({ cmd }) => json(succeeded(await cmd.getGuestInfo({})).guestInfoResponse || '{}'),
  'GET userlist': async ({ cmd }) => json(succeeded(await cmd.getUsers({})).guestUserListResponse || '{"items":[]}'),
  'GET filesystemlist': async ({ cmd }) =>
    json(succeeded(await cmd.getFilesystems({})).guestFilesystemsResponse || '{"items":[]}'),
}
