// Fixed work of the kind that the services do all day: reads objects, compares and changes them, writes them.
// It is not TypeScript, so that it starts as a bundle does.
const pod = {
  metadata: {
    name: 'virt-launcher-a',
    labels: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`label-${i}`, `value-${i}`])),
  },
  spec: {
    containers: Array.from({ length: 3 }, (_, i) => ({
      name: `c${i}`,
      image: 'registry/image:tag',
      env: Array.from({ length: 10 }, (_, e) => ({ name: `E${e}`, value: `v${e}` })),
    })),
  },
  status: {
    conditions: Array.from({ length: 6 }, (_, i) => ({
      type: `T${i}`,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  },
}

function same(a, b) {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => same(a[key], b[key]))
}

const before = process.cpuUsage()
let text = JSON.stringify(pod)
let changed = 0
for (let round = 0; round < 6000; round++) {
  const object = JSON.parse(text)
  object.metadata.labels[`label-${round % 8}`] = `value-${round}`
  if (!same(object, JSON.parse(text))) changed += 1
  text = JSON.stringify(object)
}
if (changed === 0) throw new Error('nothing changed')
const { user, system } = process.cpuUsage(before)
process.stdout.write(String((user + system) / 1000))
