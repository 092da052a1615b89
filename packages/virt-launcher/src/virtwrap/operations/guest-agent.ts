import type { ExecRequest, GuestPingRequest } from '@kubevirt-ts/handler-launcher-com'
import { VirtError } from '@kubevirt-ts/service'
import { agentCommand } from '../agent/command.ts'
import type { Launcher } from '../launcher.ts'

type ExecStatus = { exited: boolean; exitcode?: number; 'out-data'?: string }

const pollMs = 100

/** Runs a program in the guest and waits for its end. The answer is what it wrote and its exit code. */
export async function exec(
  { Command: path, Args: args, timeoutSeconds }: ExecRequest,
  launcher: Launcher,
): Promise<{ exitCode: number; stdOut: string }> {
  const deadline = Date.now() + timeoutSeconds * 1_000
  const started = await agentCommand<{ pid: number }>(
    launcher,
    { execute: 'guest-exec', arguments: { path, arg: args, 'capture-output': true } },
    timeoutSeconds,
  )
  while (Date.now() < deadline) {
    const status = await agentCommand<ExecStatus>(
      launcher,
      { execute: 'guest-exec-status', arguments: { pid: started.pid } },
      timeoutSeconds,
    )
    if (status.exited)
      return {
        exitCode: status.exitcode ?? -1,
        stdOut: Buffer.from(status['out-data'] ?? '', 'base64').toString(),
      }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  throw new VirtError('GuestExecTimeout', `${path} did not end within ${timeoutSeconds} s in the guest`)
}

/** Whether the guest's agent answers. Rejects with the reason when it does not. */
export async function guestPing({ timeoutSeconds }: GuestPingRequest, launcher: Launcher): Promise<void> {
  await agentCommand(launcher, { execute: 'guest-ping' }, timeoutSeconds)
}
