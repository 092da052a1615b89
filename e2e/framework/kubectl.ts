import type { Pod, VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { ensure, eventually } from './eventually.ts'
import { must, run, type Output, type RunOptions } from './run.ts'
import { tools } from './tools.ts'

export const kubectl = (...args: string[]): Promise<string> => must(tools().kubectl, args, limitOf(args))
export const tryKubectl = (args: readonly string[], options?: RunOptions): Promise<Output> =>
  run(tools().kubectl, args, options ?? limitOf(args))
export const helm = (...args: string[]): Promise<string> => must(tools().helm, args, { timeoutMs: 600_000 })

/** kubectl that waits ends by its own limit, as it alone says what it waited for. */
function limitOf(args: readonly string[]): RunOptions {
  const [seconds] = args.flatMap((arg) => /^--timeout=(\d+)s$/.exec(arg)?.[1] ?? [])
  return seconds === undefined ? {} : { timeoutMs: Number(seconds) * 1_000 + 30_000 }
}

export const apply = (manifest: object): Promise<string> =>
  must(tools().kubectl, ['apply', '-f', '-'], { input: JSON.stringify(manifest) })

/** Applies what must be refused, and returns the refusal. */
export async function refused(manifest: object, ...args: string[]): Promise<string> {
  const { code, stderr } = await run(tools().kubectl, ['apply', ...args, '-f', '-'], {
    input: JSON.stringify(manifest),
  })
  ensure(code !== 0, 'the API server accepted what it should refuse')
  return stderr
}

export async function get<T>(kind: string, namespace: string, name: string): Promise<T> {
  return JSON.parse(await kubectl('get', kind, name, '-n', namespace, '-o', 'json')) as T
}

export async function list<T>(kind: string, namespace: string, selector = ''): Promise<T[]> {
  const selected = selector ? ['-l', selector] : []
  return (JSON.parse(await kubectl('get', kind, '-n', namespace, ...selected, '-o', 'json')) as { items: T[] }).items
}

export const getVmi = (namespace: string, name: string) => get<VirtualMachineInstance>('vmi', namespace, name)
export const getVm = (namespace: string, name: string) => get<VirtualMachine>('vm', namespace, name)

/** Changes a VM by JSON patch. */
export const patchVm = (namespace: string, name: string, changes: readonly object[]): Promise<string> =>
  kubectl('patch', 'vm', name, '-n', namespace, '--type=json', '-p', JSON.stringify(changes))

/** Waits until a VMI is in `phase`, and is not the one called `notUid`. */
export function vmiInPhase(
  namespace: string,
  name: string,
  phase: string,
  options: { notUid?: string; timeoutMs?: number } = {},
) {
  return eventually(
    `VMI ${namespace}/${name} in phase ${phase}`,
    async () => {
      const vmi = await getVmi(namespace, name)
      ensure(vmi.metadata?.uid !== options.notUid, `it is still ${vmi.metadata?.uid}`)
      ensure(vmi.status?.phase === phase, `its phase is ${vmi.status?.phase}`)
      return vmi
    },
    options.timeoutMs,
  )
}

/** Waits until an object is gone. */
export function gone(kind: string, namespace: string, name: string, timeoutMs?: number) {
  return eventually(
    `${kind} ${namespace}/${name} gone`,
    async () => {
      const { code, stderr } = await tryKubectl(['get', kind, name, '-n', namespace, '-o', 'name'])
      ensure(code !== 0 && stderr.includes('NotFound'), 'it is still there')
    },
    timeoutMs,
  )
}

export async function launcherOf(namespace: string, vmiUid: string): Promise<Pod> {
  const [pod] = await list<Pod>('pod', namespace, `kubevirt.io/created-by=${vmiUid}`)
  ensure(pod, `no launcher pod carries kubevirt.io/created-by=${vmiUid}`)
  return pod
}

/** Runs JavaScript in a launcher's compute container, which has Node and hardly anything else, and returns what it printed. */
export const inLauncher = (pod: Pod, script: string): Promise<string> =>
  kubectl(
    'exec',
    '-n',
    pod.metadata.namespace ?? '',
    pod.metadata.name,
    '-c',
    'compute',
    '--',
    '/usr/bin/node',
    '-e',
    script,
  )

/** The process id of a VMI's QEMU, as its own pod numbers it. */
export async function qemuPid(pod: Pod): Promise<string> {
  const script = `
    const { readdirSync, readFileSync } = require('node:fs')
    for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
      try {
        if (/qemu-system[^\\0]*\\0/.test(readFileSync('/proc/' + pid + '/cmdline', 'latin1').split('\\0')[0] + '\\0')) console.log(pid)
      } catch { continue }
    }`
  const pid = (await inLauncher(pod, script)).trim()
  ensure(/^\d+$/.test(pid), `not exactly one QEMU runs in ${pod.metadata.name}: ${JSON.stringify(pid)}`)
  return pid
}

/** The image in which every node has Node.js and a shell. */
export async function launcherImage(): Promise<string> {
  const [handler] = await list<Pod>('pod', 'kubevirt', 'kubevirt.io=virt-handler')
  const image = handler?.spec?.containers[0]?.image ?? ''
  return image.replace('virt-handler', 'virt-launcher')
}
