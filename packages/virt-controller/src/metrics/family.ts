import { Counter, Gauge } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

type Labels = Readonly<Record<string, string>>

/** A metric that is counted from the caches when somebody asks; nothing is kept between two questions. */
export interface Family<T> {
  readonly name: string
  readonly help: string
  /** A gauge unless told; KubeVirt calls some a counter that count nothing. */
  readonly type?: 'counter'
  readonly labels: readonly string[]
  /** The series of one object. */
  readonly of: (object: T) => readonly (readonly [labels: Labels, value: number])[]
}

/** Registers the families over the objects of a cache. */
export function registerFamilies<T>(registry: Registry, objects: () => readonly T[], families: readonly Family<T>[]) {
  for (const { name, help, labels, type, of } of families) {
    const options = { name, help, labelNames: [...labels], registers: [registry] }
    const series = () => objects().flatMap((object) => of(object))
    if (type === 'counter') {
      new Counter({
        ...options,
        collect() {
          this.reset()
          for (const [values, value] of series()) this.inc({ ...values }, value)
        },
      })
    } else {
      new Gauge({
        ...options,
        collect() {
          this.reset()
          for (const [values, value] of series()) this.set({ ...values }, value)
        },
      })
    }
  }
}

/** What a label says of something that is not known. */
export const none = '<none>'

/** Seconds since 1970 of a time as Kubernetes writes it; undefined for anything else. */
export function secondsOf(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? '')
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}
