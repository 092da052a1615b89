import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repository } from './places.ts'

/** The tag of a release's images: the chart's appVersion. */
export function productVersion(): string {
  const chart = parse(readFileSync(join(repository, 'charts', 'kubevirt', 'Chart.yaml'), 'utf8')) as {
    appVersion: string
  }
  return String(chart.appVersion)
}
