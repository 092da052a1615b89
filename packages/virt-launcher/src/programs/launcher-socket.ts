import { createCmdClient, type CmdClient } from '@kubevirt-ts/handler-launcher-com'

/** Where the launcher of this pod answers. */
export const launcherSocket = '/var/run/kubevirt/sockets/launcher-sock'

/** Asks the launcher of this pod and ends the program with the answer's exit code; a failure is 1, with its reason. */
export async function askLauncher(program: string, ask: (launcher: CmdClient) => Promise<number>): Promise<never> {
  const launcher = createCmdClient(launcherSocket)
  try {
    process.exit(await ask(launcher))
  } catch (error) {
    process.stderr.write(`${program}: ${(error as Error).message}\n`)
    process.exit(1)
  }
}

/** Throws what the launcher said when it could not. */
export function accepted<T extends { success: boolean; message: string }>(verdict: T | undefined): void {
  if (verdict?.success === false) throw new Error(verdict.message)
}
