// Loaded before a service of the lab: tells heap and event-loop delay on file descriptor 3, a JSON object a second.
// It is not TypeScript, so that no type stripper weighs on the service that is measured.
import { writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()

function tell() {
  const { used_heap_size: heapBytes } = getHeapStatistics()
  const line = { at: Date.now(), heapBytes, p99Ms: delays.percentile(99) / 1e6, maxMs: delays.max / 1e6 }
  try {
    writeSync(3, `${JSON.stringify(line)}\n`)
  } catch {
    // Nobody reads any more.
  }
}

setInterval(tell, 1000).unref()

// Memory is compared after a full collection, since what waits to be collected is chance.
process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  tell()
})
