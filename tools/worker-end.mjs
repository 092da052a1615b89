// Loaded by node itself into jest and its workers. jest waits half a second for a worker that is to end; to free the
// modules of many tests takes longer on a busy machine, and jest would say that the tests leak. So a worker that has
// nothing left to do, which is when this event comes, ends at once. One that something keeps alive is told of as before.
if (process.send !== undefined) process.once('exit', (code) => process.exit(code))
