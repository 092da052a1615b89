import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { shareCpu } from './cpu-share.ts'

export type BareEcho = { readonly call: () => Promise<void>; readonly close: () => Promise<void> }

/** Those of every service (packages/images/base/start-node.c): a server with V8's compilers would be no reference. */
const serviceFlags = [
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--no-opt',
  '--no-maglev',
  '--optimize-for-size',
] as const

/**
 * A bare gRPC server in a process of its own, and a bare client.
 * @param besidePid whose share of the processors the server gets
 */
export async function startBareEcho(besidePid: number): Promise<BareEcho> {
  const folder = await mkdtemp(join(tmpdir(), 'echo-'))
  const socket = join(folder, 'sock')
  const program = join(import.meta.dirname, 'bare-echo.mjs')
  const server = spawn(process.execPath, [...serviceFlags, program, socket], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(server.stdout, 'data')
  await shareCpu(server.pid ?? 0, besidePid)
  const client = new Client(`unix:${socket}`, credentials.createInsecure())
  const bytes = (value: Buffer): Buffer => value
  const nothing = Buffer.alloc(0)
  return {
    call: () =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest('/echo/Echo', bytes, bytes, nothing, (error) => (error ? reject(error) : resolve()))
      }),
    async close() {
      client.close()
      server.stdin.end()
      await once(server, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}
