import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'

/** Prints the address of every module that a door loads. */
const lister = `
import { registerHooks } from 'node:module'
const seen = new Set()
registerHooks({ resolve(name, context, next) { const found = next(name, context); seen.add(found.url); return found } })
await import(process.argv[1])
console.log(JSON.stringify([...seen]))
`

function loadedBy(door: string): string[] {
  const argv = ['--no-warnings', '--input-type=module', '--eval', lister, door]
  return JSON.parse(execFileSync(process.execPath, argv, { cwd: import.meta.dirname, encoding: 'utf8' })) as string[]
}

const impure = [
  /^node:(fs|fs\/promises|http|https|http2|net|tls|child_process|os)$/,
  /node_modules\/(koffi|pino|prom-client|ws|undici|fastify|@grpc)\//,
  /packages\/(libvirt|linux)\//,
  /packages\/kubecli\/src\/(?!api-error\.ts)/,
]

describe('doors are pure: no client, no file access, no native code', () => {
  test.each(['virt-api', 'virt-controller', 'virt-launcher'])('%s', (name) => {
    const loaded = loadedBy(`@kubevirt-ts/${name}/render`)
    const found = loaded.filter((url) => impure.some((pattern) => pattern.test(url)))
    // Whether text is an IP address is all that node:net is asked for.
    expect(found.filter((url) => url !== 'node:net')).toEqual([])
    expect(loaded.length).toBeGreaterThan(10)
  })
})
