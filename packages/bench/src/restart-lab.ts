import { dirname } from 'node:path'
import { readdirSync, mkdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { virtualMachineInstances } from '@kubevirt-ts/api'
import { endChild, startChild } from './lab/child.ts'
import { virtController } from './lab/product.ts'
import { fill } from './measure/fill.ts'
import { benchVmi } from './objects/vmi.ts'
import { runScenario } from './run-scenario.ts'

const objects = Number(process.env['N'] ?? 2000)
const variants: Record<string, { flags?: (f: string[]) => string[]; env?: Record<string, string> }> = {
  plain: {},
  marked: { flags: (f) => ['--import', '/tmp/ctl/mark.mjs', ...f] },
  profile: { flags: (f) => ['--cpu-prof', '--cpu-prof-dir=/tmp/ctl/prof', ...f] },
  opt: { flags: (f) => f.filter((x) => !/no-opt|no-maglev/.test(x)) },
  semi: { flags: (f) => f.map((x) => (x.includes('semi-space') ? '--max-semi-space-size=16' : x)) },
  semi4: { flags: (f) => f.map((x) => (x.includes('semi-space') ? '--max-semi-space-size=4' : x)) },
  cache: { env: { NODE_COMPILE_CACHE: '/tmp/ctl/cache' } },
}
const plan = (process.env['PLAN'] ?? 'plain,plain,marked,profile,opt,semi,semi4,cache,cache,plain').split(',')
mkdirSync('/tmp/ctl/prof', { recursive: true })
await runScenario(
  {
    name: 'restart-lab',
    run: async (scene) => {
      const { lab, timeline } = scene
      await fill(scene, 'vmi', [objects])
      const state = dirname(dirname(lab.auditLog))
      console.log('audit', lab.auditLog)
      await lab.kill('virt-controller')
      let at = 0
      for (const name of plan) {
        const variant = variants[name]!
        at += 1
        const vmi = `w${at}-`
        await lab.client.create(virtualMachineInstances, benchVmi(lab.namespace, `${vmi}0`))
        await lab.releaseLease()
        await delay(3000)
        const program = await virtController({ state, kubeconfig: lab.kubeconfig, client: lab.client }, lab.ports.controller)
        const [node = '', ...rest] = program.argv
        const begun = performance.now()
        const child = startChild(
          { ...program, argv: [node, ...(variant.flags?.(rest) ?? rest)], env: { MARK_FILE: `/tmp/ctl/mark-${at}.log`, ...variant.env } },
          '/tmp/ctl',
        )
        child.catch(console.error)
        await timeline.until(vmi, 'pod', 1, 60_000)
        const took = performance.now() - begun
        await child
        const lead = performance.now() - begun
        await timeline.until(vmi, 'ready', 1, 60_000)
        console.log(`${name}: first pod ${took.toFixed(0)} ms, leads ${lead.toFixed(0)} ms`)
        await delay(1500)
        await endChild(await child, name === 'profile' ? 'SIGTERM' : 'SIGKILL')
      }
      console.log(readdirSync('/tmp/ctl/prof'))
      return { rows: [] }
    },
  },
  { objects, perSecond: 0, seconds: 0 },
  { nodes: 12, startMs: 0, stopMs: 0 },
  console.log,
)
process.exit(0)
