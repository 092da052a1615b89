import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { handlerOn } from './faults.ts'
import { kubectl } from './kubectl.ts'
import { namespace } from './product.ts'

/** Runs a command on a node as its administrator would: among the node's own files, from inside its virt-handler. */
export async function onNode(node: string, ...command: readonly string[]): Promise<string> {
  return inHandler(node, 'nsenter', '--target=1', '--mount', '--', ...command)
}

/** Runs `ip` in the network of a guest's launcher pod, as a network's plugin would. */
export async function ipInPod({ metadata, status }: VirtualMachineInstance, line: string): Promise<string> {
  const script = `
    const { readdirSync, readFileSync } = require('node:fs')
    const isMonitor = (pid) => {
      try {
        const line = readFileSync('/proc/' + pid + '/cmdline', 'latin1').split('\\0')
        return line[0].endsWith('virt-launcher-monitor') && line.includes(${JSON.stringify(metadata.uid)})
      } catch { return false }
    }
    const pid = readdirSync('/proc').find((name) => /^\\d+$/.test(name) && isMonitor(name))
    const line = ['--net=/proc/' + pid + '/ns/net', 'ip', ...${JSON.stringify(line.split(' '))}]
    process.stdout.write(require('node:child_process').execFileSync('nsenter', line))`
  return inHandler(status?.nodeName ?? '', '/usr/bin/node', '-e', script)
}

async function inHandler(node: string, ...command: readonly string[]): Promise<string> {
  const { metadata } = await handlerOn(node)
  return kubectl('exec', '-n', namespace, metadata.name, '-c', 'virt-handler', '--', ...command)
}
