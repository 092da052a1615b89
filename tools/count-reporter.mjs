// Prints the closing line that machines read, after jest's own summary.
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests + results.numTodoTests
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`
    process.once('exit', () => process.stdout.write(line))
  }
}
