import { describeFailure } from '@kubevirt-ts/dev-cluster'
import { runDemo } from './app.ts'

try {
  await runDemo(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`\n${describeFailure(error)}\n`)
  process.exitCode = 1
}
