export { isOutput, outputs, type Output } from './output.ts'
export { renderFiles, type RenderFlags } from './render-files.ts'
export type { Rendered } from './render.ts'
export { run, usage, type Terminal } from './command-line.ts'
