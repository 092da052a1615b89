#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Most of a run is the loading of sources, which the cache makes three times as fast; so it comes before them.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache', import.meta.url)))
const { run } = await import('./command-line.ts')
process.exitCode = await run(process.argv.slice(2), process)
