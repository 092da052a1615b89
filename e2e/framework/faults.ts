import type { Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from './eventually.ts'
import { inLauncher, kubectl, list, tryKubectl } from './kubectl.ts'
import { namespace } from './product.ts'

/** A node on which the component runs. */
export async function nodeOf(component: string): Promise<string> {
  const pods = await list<Pod>('pod', namespace, `kubevirt.io=${component}`)
  const isThere = ({ metadata, status }: Pod) => metadata.deletionTimestamp === undefined && status?.phase === 'Running'
  const node = pods.find(isThere)?.spec?.nodeName
  ensure(node, `no pod of ${component} runs`)
  return node
}

/**
 * Kills (SIGKILL) the processes on a node whose command line holds `program`, from inside that node's virt-handler,
 * which sees all of them. Waits until none of the killed ones is left.
 */
export async function killOnNode(node: string, program: string): Promise<void> {
  const component = program.replace(/^.*\/(.*)\.mjs$/, '$1')
  const statuses = async () => {
    const pods = await list<Pod>('pod', namespace, `kubevirt.io=${component}`)
    const own = pods.filter(({ spec }) => spec.nodeName === node)
    return own.flatMap(({ status }) => status?.containerStatuses?.filter(({ name }) => name === component) ?? [])
  }
  const before = (await statuses()).map(({ restartCount }) => restartCount)
  await killFrom(await handlerOn(node), program)
  await eventually(`${component} was restarted`, async () => {
    const now = await statuses()
    const restarted = now.some(({ restartCount, ready }) => restartCount > Math.max(...before) && ready)
    ensure(restarted, `no pod of it on ${node} shows another restart and is ready`)
  })
}

/** The virt-handler of a node, when it is ready and none of those `except`. */
export function handlerOn(node: string, except: readonly Pod[] = []): Promise<Pod> {
  return eventually(`a virt-handler is ready on ${node}`, async () => {
    const pods = await list<Pod>('pod', namespace, 'kubevirt.io=virt-handler')
    const others = pods.filter(({ metadata }) => !except.some((each) => each.metadata.uid === metadata.uid))
    const found = others.find(
      ({ metadata, spec, status }) =>
        metadata.deletionTimestamp === undefined &&
        spec?.nodeName === node &&
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    )
    ensure(found, 'none is')
    return found
  })
}

/** Kills a node's virt-handler and waits for the next: a new pod, as kubelet would let a killed one wait longer and longer. */
export async function killHandler(node: string): Promise<void> {
  const handler = await handlerOn(node)
  await killFrom(handler, '/app/virt-handler.mjs')
  await kubectl('delete', 'pod', handler.metadata.name, '-n', namespace, '--force', '--grace-period=0')
  await handlerOn(node, [handler])
}

async function killFrom(handler: Pod, program: string): Promise<void> {
  const exec = ['exec', '-n', namespace, handler.metadata.name, '-c', 'virt-handler', '--', '/usr/bin/node', '-e']
  // Killing virt-handler ends this very exec, so its exit code says nothing.
  await tryKubectl([
    ...exec,
    killScript(`line.startsWith('/usr/bin/node') && line.includes(${JSON.stringify(program)})`),
  ])
}

/** Kills (SIGKILL) the process of a guest's compute container whose command line begins so; answers how many it were. */
export async function killInLauncher(launcher: Pod, program: string): Promise<number> {
  const killed = await inLauncher(launcher, killScript(`line.startsWith(${JSON.stringify(program)})`))
  return killed.split('\n').filter(Boolean).length
}

const killScript = (condition: string): string => `
  const { readdirSync, readFileSync } = require('node:fs')
  for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)) {
    let line = ''
    try { line = readFileSync('/proc/' + pid + '/cmdline', 'latin1') } catch { continue }
    if (${condition}) { console.log(pid); process.kill(Number(pid), 'SIGKILL') }
  }`
