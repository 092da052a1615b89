import type { Row } from './usage.ts'

interface Column {
  readonly title: string
  readonly read: (row: Row) => string
  readonly left?: boolean
}

const bytes = (value: number | undefined): string => {
  if (value === undefined) return '-'
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti']
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10))
  const scaled = value / 1024 ** power
  return `${scaled < 10 && power > 0 ? scaled.toFixed(1) : Math.round(scaled)}${units[power]}`
}

const cpus = (value: number | undefined) => (value === undefined ? '-' : `${Math.round(value * 1000)}m`)

const columns: readonly Column[] = [
  { title: 'NAME', read: ({ name }) => name, left: true },
  { title: 'NODE', read: ({ node }) => node || '-', left: true },
  { title: 'CPU', read: (row) => cpus(row.cpus) },
  { title: 'MEMORY', read: ({ memory }) => bytes(memory) },
  { title: 'READ/s', read: ({ diskRead }) => bytes(diskRead) },
  { title: 'WRITE/s', read: ({ diskWritten }) => bytes(diskWritten) },
  { title: 'RX/s', read: ({ received }) => bytes(received) },
  { title: 'TX/s', read: ({ sent }) => bytes(sent) },
]

const namespaceColumn: Column = { title: 'NAMESPACE', read: ({ namespace }) => namespace, left: true }

/** A line per guest below the titles. */
export function table(rows: readonly Row[], withNamespace: boolean): string {
  const shown = withNamespace ? [namespaceColumn, ...columns] : columns
  const cells = [shown.map(({ title }) => title), ...rows.map((row) => shown.map(({ read }) => read(row)))]
  const widths = shown.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)))
  const aligned = (line: readonly string[]) =>
    line.map((cell, at) => (shown[at]!.left ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ')
  return cells.map((line) => aligned(line).trimEnd()).join('\n')
}
