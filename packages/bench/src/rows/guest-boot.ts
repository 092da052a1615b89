import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { readFile } from 'node:fs/promises'
import { virtualMachineInstances, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { tinyGuestArguments } from '@kubevirt-ts/images'
import { containerDiskVmi, ensureNamespace, kernelBootVmi, remove, timeUntil } from '../objects/real-guests.ts'
import { listProcesses, startedAt } from '../processes.ts'
import { median, spread, type Bench, type Row } from '../row.ts'

const marker = 'GUEST UP'
const pollMs = 10
const patienceMs = 60_000
/** Seconds that the tiny guest may take under emulation. */
const bootGoal = 5

/** Where a launcher finds the files of a kernelBoot image. */
const files = '/run/kubevirt/container-disks/kernel-boot'

/**
 * From QEMU's start, or the hand-over of its VMI, to the guest's first own line, beside bare QEMU. The reference is the very same program: another
 * version of QEMU emulates at another speed. So it runs in the pod's file system, but outside of its cgroup.
 */
export async function guestBoot(bench: Bench): Promise<readonly Row[]> {
  await ensureNamespace(bench)
  const bare: number[] = []
  const kernel: number[] = []
  const disk: number[] = []
  for (let run = 0; run < bench.runs; run++) {
    const name = `boot-${run}`
    const guest = await vmiBoot(bench, kernelBootVmi(bench.namespace, name))
    kernel.push(guest.seconds)
    bare.push(await bareBoot(guest.pid))
    await remove(bench, virtualMachineInstances, name)
    disk.push((await vmiBoot(bench, containerDiskVmi(bench.namespace, `disk-${run}`))).seconds)
    await remove(bench, virtualMachineInstances, `disk-${run}`)
  }
  return [
    seconds('bare QEMU: start -> init', bare),
    { ...seconds('VMI: QEMU start -> init', kernel), goal: bootGoal },
    { name: 'guest boot / bare QEMU', value: median(kernel) / median(bare), unit: 'x', goal: 1.3 },
    { ...seconds('VMI, BIOS and disk: QEMU start -> init', disk), goal: bootGoal },
  ]
}

const seconds = (name: string, runs: readonly number[]): Row => ({
  name,
  value: median(runs),
  unit: 's',
  detail: spread(runs, 's'),
})

/** Boots the kernel and initrd of the guest that runs as process `pid`, with its QEMU. */
async function bareBoot(pid: number): Promise<number> {
  const started = performance.now()
  const options =
    `-machine q35,accel=tcg -cpu max -m 128 -display none -nodefaults -serial stdio ` +
    `-device virtio-net-pci,netdev=n -netdev user,id=n,restrict=on ` +
    `-kernel ${files}/vmlinuz -initrd ${files}/initrd -append`
  const inPod = ['--target', String(pid), '--mount', '--']
  const qemu = spawn('nsenter', [...inPod, 'qemu-system-x86_64', ...options.split(' '), tinyGuestArguments()])
  try {
    for await (const line of createInterface({ input: qemu.stdout })) {
      if (line.includes(marker)) return (performance.now() - started) / 1000
    }
    throw new Error('bare QEMU ended before its guest was up')
  } finally {
    qemu.kill('SIGKILL')
  }
}

async function vmiBoot(
  bench: Bench,
  vmi: VirtualMachineInstance,
): Promise<{ readonly seconds: number; readonly pid: number }> {
  let uid = ''
  let handedOver = 0
  await timeUntil<VirtualMachineInstance>(bench, virtualMachineInstances, vmi, (seen) => {
    uid = seen.metadata?.uid ?? ''
    if (seen.status?.phase === 'Scheduled' && handedOver === 0) handedOver = Date.now()
    return seen.status?.phase === 'Running'
  })
  const qemu = (await listProcesses()).find(({ command }) =>
    command.includes(`guest=${bench.namespace}_${vmi.metadata.name},`),
  )
  if (!qemu) throw new Error(`no QEMU of ${vmi.metadata.name} was found`)
  // QEMU may be there before; its guest runs from the hand-over on.
  const started = Math.max(await startedAt(qemu.pid), handedOver)
  // Not by /var/run: that is an absolute link, which would lead out of the pod.
  const log = `/proc/${qemu.pid}/root/run/kubevirt-private/${uid}/virt-serial0-log`
  while (!(await readFile(log, 'latin1').catch(() => '')).includes(marker)) {
    if (Date.now() - started > patienceMs) throw new Error(`no "${marker}" in ${log} after ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return { seconds: (Date.now() - started) / 1000, pid: qemu.pid }
}
