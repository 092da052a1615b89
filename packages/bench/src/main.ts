import { runBench } from './app.ts'

await runBench(process.argv.slice(2))
