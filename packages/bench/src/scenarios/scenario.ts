import type { Lab } from '../lab/lab.ts'
import type { AuditLog } from '../measure/audit.ts'
import type { Probe } from '../measure/probe.ts'
import type { Timeline } from '../measure/timeline.ts'
import type { Verdict } from '../guard/judge.ts'
import type { Row } from '../row.ts'

export type ScenarioOptions = {
  /** How many objects; a scenario may take fewer where so many would say nothing more. */
  readonly objects: number
  /** Creations per second, where a scenario has a pace. */
  readonly perSecond: number
  readonly seconds: number
}

/** Milliseconds from a pod's binding until it runs, and from the hand-over of its guest until that runs. */
export type Starts = { readonly startMs: number; readonly guestMs: number }

/** As a real node starts a plain pod and a small guest, by the row `vmi-start`. */
export const realStarts: Starts = { startMs: 800, guestMs: 500 }

/** What a scenario works with. */
export type Scene = {
  readonly lab: Lab
  readonly timeline: Timeline
  readonly audit: AuditLog
  /** Of virt-controller and virt-api. */
  readonly probes: { readonly controller: Probe; readonly api: Probe }
  readonly options: ScenarioOptions
  readonly say: (line: string) => void
}

/** A line of a picture: points from left to right. */
export type Series = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }

export type Chart = {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
}

export type Finding = {
  readonly rows: readonly Row[]
  readonly charts?: readonly Chart[]
  /** Where a scenario judges: one that does not hold fails the command. */
  readonly verdicts?: readonly Verdict[]
  /** What the rows were made from; goes into the JSON alone. */
  readonly details?: Readonly<Record<string, unknown>>
}

export type Scenario = {
  readonly name: string
  /** One line for the help. */
  readonly about: string
  readonly defaults: ScenarioOptions
  /** What starts take on the fake nodes; none where the programs between them are to be seen alone. */
  readonly starts?: Starts
  readonly run: (scene: Scene) => Promise<Finding>
}
