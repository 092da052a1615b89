import type { Pod } from '@kubevirt-ts/api'
import { ensure, eventually } from './eventually.ts'
import { list, tryKubectl } from './kubectl.ts'
import { namespace } from './product.ts'

/** A node on which the component runs. */
export async function nodeOf(component: string): Promise<string> {
  const pods = await list<Pod>('pod', namespace, `kubevirt.io=${component}`)
  const node = pods.find((pod) => pod.status?.phase === 'Running')?.spec?.nodeName
  ensure(node, `no pod of ${component} runs`)
  return node
}

/**
 * Kills (SIGKILL) the processes on a node whose command line holds `program`, from inside that node's virt-handler,
 * which sees all of them. Waits until none of the killed ones is left.
 */
export async function killOnNode(node: string, program: string): Promise<void> {
  const handler = await eventually(`a virt-handler runs on ${node}`, async () => {
    const pods = await list<Pod>('pod', namespace, 'kubevirt.io=virt-handler')
    const found = pods.find((pod) => pod.spec?.nodeName === node && pod.status?.phase === 'Running')
    ensure(found, 'none does')
    return found
  })
  const script = `
    const { readdirSync, readFileSync } = require('node:fs')
    for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)) {
      let line = ''
      try { line = readFileSync('/proc/' + pid + '/cmdline', 'latin1') } catch { continue }
      if (line.startsWith('/usr/bin/node') && line.includes(${JSON.stringify(program)})) { console.log(pid); process.kill(Number(pid), 'SIGKILL') }
    }`
  // Killing virt-handler ends this very exec, so its exit code says nothing.
  await tryKubectl([
    'exec',
    '-n',
    namespace,
    handler.metadata.name ?? '',
    '-c',
    'virt-handler',
    '--',
    '/usr/bin/node',
    '-e',
    script,
  ])
  const component = program.replace(/^.*\/(.*)\.mjs$/, '$1')
  await eventually(`${component} was restarted`, async () => {
    const pods = await list<Pod>('pod', namespace, `kubevirt.io=${component}`)
    const restarted = pods.some((pod) =>
      pod.status?.containerStatuses?.some(
        (status) => status.name === component && status.restartCount > 0 && status.ready,
      ),
    )
    ensure(restarted, 'no pod of it shows a restart and is ready')
  })
}
