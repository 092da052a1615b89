import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, watch } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { VirtError, type Logger } from '@kubevirt-ts/service'
import type { Places } from '../places.ts'
import { primeCapabilities } from './capability-cache.ts'
import { daemonConf, qemuConf } from './libvirt-config.ts'

/** The modular daemon where the image has it, else the monolithic one. */
const programs = [
  { path: '/usr/sbin/virtqemud', socket: 'virtqemud-sock', conf: 'virtqemud.conf' },
  { path: '/usr/sbin/libvirtd', socket: 'libvirt-sock', conf: 'libvirtd.conf' },
] as const

const restartDelayMs = 1_000
const readyTimeoutMs = 30_000

export type LibvirtDaemon = {
  /** What to connect to. */
  readonly uri: string
  /** Ends the daemon; the guest goes on without it. */
  stop(): Promise<void>
}

export type LibvirtDaemonOptions = {
  readonly places: Places
  readonly log: Logger
  readonly logFilters: string
  readonly sharedFilesystems: readonly string[]
}

/**
 * Starts libvirt's daemon with a configuration of its own and resolves when its socket is there. When the daemon dies
 * it is started again after a second; a new one finds the running guest by itself.
 */
export async function startLibvirtDaemon(options: LibvirtDaemonOptions): Promise<LibvirtDaemon> {
  const program = programs.find(({ path }) => existsSync(path))
  if (!program)
    throw new VirtError('LibvirtMissing', `the image has none of ${programs.map(({ path }) => path).join(', ')}`)
  const { places, log } = options
  const root = process.getuid?.() === 0
  const socketDir = join(places.runtime, 'libvirt')
  const conf = join(socketDir, program.conf)
  await writeConfiguration(options, conf, root)
  await primeCapabilities(places.cache, program.path, log)

  let stopping = false
  let child: ChildProcess | undefined
  let restart: NodeJS.Timeout | undefined
  const start = (): void => {
    child = runDaemon(program.path, conf, places, log)
    child.once('exit', (code, signal) => {
      if (stopping) return
      log.warn({ daemon: program.path, code, signal }, "libvirt's daemon ended, starting it again")
      restart = setTimeout(start, restartDelayMs)
    })
  }
  const socket = join(socketDir, program.socket)
  const ready = socketAppears(socket)
  start()
  await ready
  return {
    uri: root ? 'qemu:///system' : `qemu+unix:///session?socket=${socket}`,
    async stop() {
      stopping = true
      clearTimeout(restart)
      if (child?.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child!.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function writeConfiguration(options: LibvirtDaemonOptions, conf: string, root: boolean): Promise<void> {
  const { places, logFilters, sharedFilesystems } = options
  const qemuConfFolder = root ? '/etc/libvirt' : join(places.config, 'libvirt')
  await mkdir(qemuConfFolder, { recursive: true })
  await mkdir(dirname(conf), { recursive: true })
  await writeFile(join(qemuConfFolder, 'qemu.conf'), qemuConf({ user: root ? 'root' : 'qemu', sharedFilesystems }))
  await writeFile(conf, daemonConf({ logFilters, hostUuid: randomUUID() }))
}

function runDaemon(path: string, conf: string, places: Places, log: Logger): ChildProcess {
  const child = spawn(path, ['-f', conf], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: places.config,
      XDG_RUNTIME_DIR: places.runtime,
      XDG_CONFIG_HOME: places.config,
      XDG_CACHE_HOME: places.cache,
      // Memory that each of its threads would keep for itself is not worth its speed.
      MALLOC_ARENA_MAX: '1',
    },
  })
  child.on('error', (error) => log.error({ error, daemon: path }, "libvirt's daemon could not be started"))
  const libvirtLog = log.child({ subcomponent: 'libvirt' })
  createInterface({ input: child.stderr! }).on('line', (line) => libvirtLog.info(line))
  return child
}

/** Resolves when the file is there; told by the kernel, not by looking again and again. */
async function socketAppears(path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const folder = watch(dirname(path), () => existsSync(path) && resolve())
  const late = setTimeout(
    () => reject(new VirtError('LibvirtNotReady', `${path} did not appear within ${readyTimeoutMs / 1000} s`)),
    readyTimeoutMs,
  )
  if (existsSync(path)) resolve()
  try {
    await promise
  } finally {
    folder.close()
    clearTimeout(late)
  }
}
