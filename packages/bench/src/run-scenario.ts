import { withLab } from './lab/lab.ts'
import { AuditLog } from './measure/audit.ts'
import { Probe } from './measure/probe.ts'
import { Timeline } from './measure/timeline.ts'
import type { Finding, Scenario, ScenarioOptions } from './scenarios/scenario.ts'

export type LabSize = {
  readonly nodes: number
  readonly startMs: number
  readonly guestMs: number
  readonly stopMs: number
}

/** Runs a scenario in a lab of its own. */
export async function runScenario(
  scenario: Pick<Scenario, 'name' | 'run'>,
  options: ScenarioOptions,
  size: LabSize,
  say: (line: string) => void,
): Promise<Finding> {
  return withLab({ ...size, say }, async (lab) => {
    say(`running ${scenario.name} …`)
    const timeline = await Timeline.start(lab.client, lab.namespace)
    const probe = (name: string) => new Probe(lab.children.get(name)!)
    const probes = { controller: probe('virt-controller'), api: probe('virt-api') }
    try {
      return await scenario.run({ lab, timeline, audit: new AuditLog(lab.auditLog), probes, options, say })
    } finally {
      await timeline.stop()
    }
  })
}
