import { listProcesses, memoryOf } from '../processes.ts'
import type { Bench, Row } from '../row.ts'

const goalsMiB: Readonly<Record<string, number | undefined>> = {
  'virt-controller': 80,
  'virt-api': 80,
  'virt-handler': undefined,
}

/** Resident memory of each component at rest; the largest where several replicas run. */
export async function componentMemory(_bench: Bench): Promise<readonly Row[]> {
  const all = await listProcesses()
  const rows: Row[] = []
  for (const [component, goal] of Object.entries(goalsMiB)) {
    const processes = all.filter(
      ({ command }) => command.startsWith('/usr/bin/node') && command.includes(`/app/${component}.mjs`),
    )
    const memories = await Promise.all(processes.map(({ pid }) => memoryOf(pid)))
    const largest = memories.toSorted((a, b) => b.rssMiB - a.rssMiB)[0]
    if (!largest) throw new Error(`no ${component} runs; is the product installed?`)
    rows.push({
      name: `${component} at rest`,
      value: largest.rssMiB,
      unit: 'MiB',
      ...(goal === undefined ? {} : { goal }),
      detail: `RSS; PSS ${largest.pssMiB.toFixed(1)}, anonymous ${largest.anonymousMiB.toFixed(1)}`,
    })
  }
  return rows
}
