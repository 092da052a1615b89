import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A guest small enough to boot within a second where KVM works. */
export type KvmProbe = {
  readonly kernel?: string
  readonly initrd?: string
  /** QEMU's program for x86-64. */
  readonly qemu?: string
  /** Milliseconds after which KVM counts as unusable. */
  readonly timeout?: number
}

// The kernel says this when it hands over to the initrd, so the processor has run real code by then.
const bootedLine = /Run \S+ as init process/

/**
 * Whether guests can use KVM here, found out by booting one: a device file alone proves nothing.
 * False when there is no device, no QEMU or no guest to try with.
 */
export async function kvmUsable({
  kernel,
  initrd,
  qemu = 'qemu-system-x86_64',
  timeout = 8000,
}: KvmProbe = {}): Promise<boolean> {
  if (!existsSync('/dev/kvm') || !kernel || !existsSync(kernel)) return false
  const guest = spawn(
    qemu,
    [
      '-accel',
      'kvm',
      '-cpu',
      'host',
      '-m',
      '256',
      '-nodefaults',
      '-no-user-config',
      '-display',
      'none',
      '-no-reboot',
      '-serial',
      'stdio',
      '-kernel',
      kernel,
      ...(initrd ? ['-initrd', initrd] : []),
      '-append',
      'console=ttyS0 panic=-1',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const ended = new Promise<void>((resolve) => guest.on('error', () => resolve()).on('close', () => resolve()))
  const booted = new Promise<boolean>((resolve) => {
    let console = ''
    guest.stdout.setEncoding('utf8').on('data', (text: string) => {
      console += text
      if (bootedLine.test(console)) resolve(true)
    })
    void ended.then(() => resolve(false))
  })
  const timer = setTimeout(() => guest.kill('SIGKILL'), timeout)
  try {
    return await booted
  } finally {
    clearTimeout(timer)
    guest.kill('SIGKILL')
  }
}
