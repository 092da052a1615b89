// A defect for the test of the guard: everything that the service does takes 30 % longer.
const part = 0.3

let seen = process.cpuUsage()

setInterval(() => {
  const { user, system } = process.cpuUsage(seen)
  const until = process.cpuUsage()
  const target = (user + system) * part
  for (;;) {
    const spent = process.cpuUsage(until)
    if (spent.user + spent.system >= target) break
  }
  seen = process.cpuUsage()
}, 5).unref()
