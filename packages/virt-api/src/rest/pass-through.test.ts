import { expect, test } from '@jest/globals'
import type { KubeObject } from '@kubevirt-ts/api'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { vmi, withName } from '@kubevirt-ts/libvmi'
import type { RestParts } from './parts.ts'
import { pass } from './pass-through.ts'

/** What virt-handler is asked for. */
async function asked(dryRun: boolean): Promise<string[]> {
  const guest = vmi(withName('a'))
  guest.metadata.namespace = 'n'
  const calls: string[] = []
  const virtHandler = {
    call: async (_vmi: unknown, method: string, subresource: string) => {
      calls.push(`${method} ${subresource}`)
      return { status: 200, contentType: undefined, body: Buffer.alloc(0) }
    },
  }
  const parts = { client: fakeClient([guest as unknown as KubeObject]), virtHandler } as unknown as RestParts
  await pass(parts, { namespace: 'n', name: 'a', dryRun }, 'reset', () => undefined, {})
  return calls
}

test('a dry run asks nobody', async () => {
  expect(await asked(false)).toEqual(['PUT reset'])
  expect(await asked(true)).toEqual([])
})
