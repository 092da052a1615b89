export { run, usage, type Terminal } from './command-line.ts'
