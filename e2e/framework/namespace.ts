import { afterAll, beforeAll } from '@jest/globals'
import { kubectl, tryKubectl } from './kubectl.ts'

/** A namespace of a chapter's own, for as long as its tests run. */
export function testNamespace(noun: string): string {
  const name = `e2e-${noun}`
  beforeAll(async () => {
    await tryKubectl(['delete', 'namespace', name, '--ignore-not-found', '--timeout=120s'], { timeoutMs: 130_000 })
    await kubectl('create', 'namespace', name)
  }, 150_000)
  afterAll(async () => {
    await tryKubectl(['delete', 'namespace', name, '--timeout=120s'], { timeoutMs: 130_000 })
  }, 150_000)
  return name
}
