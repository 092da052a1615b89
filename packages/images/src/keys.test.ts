import { describe, expect, it } from '@jest/globals'
import { missingOf } from './build.ts'
import { keyedPlan } from './keys.ts'
import { keyedReference, type ContextPart, type Recipe } from './recipe.ts'

const part = (to: string, content: string): ContextPart => ({
  to,
  key: async () => content,
  path: async () => `/nowhere/${to}`,
})

const recipesWith = (source: string, node = 'node 24'): Recipe[] => [
  { name: 'node', containerfile: 'node', bases: {}, context: [part('node', node)] },
  { name: 'os', containerfile: 'os', bases: { NODE: 'node' }, context: [] },
  { name: 'service', containerfile: 'service', bases: { OS: 'os' }, context: [part('app', source)] },
]

const plan = (recipes: readonly Recipe[]) => keyedPlan(recipes, ['service'], async (file) => `FROM ${file}`)

async function keysOf(recipes: readonly Recipe[]): Promise<Record<string, string>> {
  return Object.fromEntries((await plan(recipes)).map(({ name, key }) => [name, key]))
}

describe('what has to be built', () => {
  it('is planned with bases first', async () => {
    expect((await plan(recipesWith('v1'))).map(({ name }) => name)).toEqual(['node', 'os', 'service'])
  })

  it('is only the top image after a change of its sources', async () => {
    const [before, after] = [await keysOf(recipesWith('v1')), await keysOf(recipesWith('v2'))]
    expect(after['service']).not.toBe(before['service'])
    expect([after['node'], after['os']]).toEqual([before['node'], before['os']])
  })

  it('is everything above a base that changed', async () => {
    const [before, after] = [await keysOf(recipesWith('v1')), await keysOf(recipesWith('v1', 'node 26'))]
    for (const name of ['node', 'os', 'service']) expect(after[name]).not.toBe(before[name])
  })

  it('is nothing where the engine has an image of the same inputs, even without its bases', async () => {
    const all = await plan(recipesWith('v1'))
    const top = keyedReference(all[2]!)
    expect(missingOf(all, ['service'], (reference) => reference === top)).toEqual([])
    expect(missingOf(all, ['service'], () => false).map(({ name }) => name)).toEqual(['node', 'os', 'service'])
  })

  it('cannot be a name without a recipe', async () => {
    await expect(keyedPlan(recipesWith('v1'), ['virt-apy'])).rejects.toMatchObject({
      reason: 'ImageUnknown',
      message: 'there is no image called virt-apy',
    })
  })
})
