import { mkdir, writeFile } from 'node:fs/promises'
import { list, tryKubectl } from './kubectl.ts'
import { root } from './tools.ts'
import type { Pod } from '@kubevirt-ts/api'

const perCommandMs = 20_000

/** Collects what explains a failure into one folder, and returns its path. */
export async function collectEvidence(title: string, failure: string): Promise<string> {
  const folder = `${root}.cache/e2e-evidence/${title.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80)}`
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/failure.txt`, failure)
  const save = async (name: string, ...args: string[]): Promise<void> => {
    const { stdout, stderr } = await tryKubectl(args, { timeoutMs: perCommandMs })
    await writeFile(`${folder}/${name}`, stdout + stderr)
  }
  await save('objects.yaml', 'get', 'kubevirt,vm,vmi,pods', '-A', '-o', 'yaml')
  await save('overview.txt', 'get', 'nodes,kubevirt,vm,vmi,pods', '-A', '-o', 'wide')
  await save('events.txt', 'get', 'events', '-A', '--sort-by=.lastTimestamp')
  for (const pod of await podsToExplain()) {
    const { name, namespace = '' } = pod.metadata
    for (const container of pod.spec?.containers ?? []) {
      await save(`${name}.${container.name}.log`, 'logs', '-n', namespace, name, '-c', container.name, '--tail=2000')
      await save(
        `${name}.${container.name}.previous.log`,
        'logs',
        '-n',
        namespace,
        name,
        '-c',
        container.name,
        '--previous',
        '--tail=500',
      )
    }
    if (!name.startsWith('virt-launcher')) continue
    const inside = ['exec', '-n', namespace, name, '-c', 'compute', '--', '/usr/bin/node', '-e']
    const print = (folder: string, ending: string) => `
      const { globSync, readFileSync } = require('node:fs')
      for (const file of globSync('${folder}/**/*${ending}')) console.log(file + '\\n' + readFileSync(file, 'utf8'))`
    await save(`${name}.domain.xml`, ...inside, print('/var/run/libvirt/qemu', '.xml'))
    await save(`${name}.qemu.log`, ...inside, print('/var/run/kubevirt-private/libvirt', '.log'))
    await save(`${name}.console.log`, ...inside, print('/var/run/kubevirt-private', 'virt-serial0-log'))
  }
  return folder
}

async function podsToExplain(): Promise<Pod[]> {
  const ours = ['virt-api', 'virt-controller', 'virt-handler', 'stickyvm-scheduler', 'lifecycle'].join(',')
  const components = await list<Pod>('pod', 'kubevirt', `kubevirt.io in (${ours})`).catch(() => [])
  const { stdout } = await tryKubectl(['get', 'pods', '-A', '-l', 'kubevirt.io=virt-launcher', '-o', 'json'])
  return [...components, ...(stdout ? (JSON.parse(stdout) as { items: Pod[] }).items : [])]
}
