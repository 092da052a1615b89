import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Pod } from '@kubevirt-ts/api'
import { tools } from './tools.ts'

/** A program in a pod that is ready to act, so that the moment of its act is that of the word. */
export interface Armed extends AsyncDisposable {
  /** Says the word; resolves when the program has said that it acted, or has ended by its own act. */
  act(): Promise<void>
}

/** Starts JavaScript in a container. It says `ready` and acts on its standard input's first byte: `act` is called then. */
export async function arm({ metadata }: Pod, container: string, act: string): Promise<Armed> {
  const script = `const act = async () => { ${act} }
    process.stdin.once('data', () => act().then(() => console.log('acted'), (error) => console.log('acted ' + error)))
    process.stdin.once('end', () => process.exit())
    console.log('ready')`
  const where = ['exec', '-i', '-n', metadata.namespace ?? '', metadata.name, '-c', container]
  const child = spawn(tools().kubectl, [...where, '--', '/usr/bin/node', '-e', script])
  child.stdin.on('error', () => undefined)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  if (value !== 'ready') throw new Error(`nothing is armed in ${metadata.name}: ${errors}`)
  return {
    async act() {
      child.stdin.write('!')
      const { value: said, done } = await lines.next()
      if (done !== true && said !== 'acted') throw new Error(`${metadata.name}: ${said}`)
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      child.kill()
    },
  }
}

/** Kills (SIGKILL) the processes whose command line begins so, or holds it where it is a program of node's. */
export const killing = (program: string): string => `
  const { readdirSync, readFileSync } = require('node:fs')
  for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)) {
    let line = ''
    try { line = readFileSync('/proc/' + pid + '/cmdline', 'latin1') } catch { continue }
    const isNode = line.startsWith('/usr/bin/node\\0') && line.split('\\0')[1] !== '-e'
    if (line.startsWith(${JSON.stringify(program)}) || (isNode && line.includes(${JSON.stringify(program)})))
      process.kill(Number(pid), 'SIGKILL')
  }`

/** Sends a signal to the container's processes whose program has one of these names. */
export const signalling = (names: readonly string[], signal: 'SIGSTOP' | 'SIGCONT'): string => `
  const { readdirSync, readFileSync } = require('node:fs')
  for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
    let name = ''
    try { name = readFileSync('/proc/' + pid + '/comm', 'utf8').trim() } catch { continue }
    if (${JSON.stringify(names)}.includes(name)) process.kill(Number(pid), '${signal}')
  }`

/** Lets nothing pass between two addresses for a while, in the network of the node whose agent runs this. */
export const cutting = (one: string, other: string, milliseconds: number): string => `
  const { execFileSync } = require('node:child_process')
  const rule = (verb, from, to) => execFileSync('/proc/1/root/usr/bin/nsenter',
    ['-t', '1', '-m', '-n', '--', 'iptables', '-w', '-t', 'raw', verb, 'PREROUTING', '-s', from, '-d', to, '-j', 'DROP'])
  const both = (verb) => { rule(verb, ${JSON.stringify(one)}, ${JSON.stringify(other)}); rule(verb, ${JSON.stringify(other)}, ${JSON.stringify(one)}) }
  both('-I')
  const heal = () => { both('-D'); process.exit() }
  process.stdin.removeAllListeners('end')
  setTimeout(heal, ${milliseconds})`

/** Waits until a guest that counts aloud stands still: its console log has not grown for that long. */
export const standingStill = (vmiUid: string, milliseconds: number): string => `
  const { statSync } = require('node:fs')
  const file = '/var/run/kubevirt-private/${vmiUid}/virt-serial0-log'
  let size = -1, since = performance.now()
  while (performance.now() - since < ${milliseconds}) {
    const now = statSync(file).size
    if (now !== size) { size = now; since = performance.now() }
    await new Promise((resolve) => setTimeout(resolve, 4))
  }`
