import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '@kubevirt-ts/dev-cluster'
import { hashOf } from './content-hash.ts'
import { repository } from './places.ts'
import type { KeyedRecipe, Recipe } from './recipe.ts'

/**
 * The wanted recipes with all that they are built on, bases first, each with the hash of its inputs: its
 * Containerfile, its context, and the hashes of its bases.
 * @throws Failure for a name without a recipe, or a context part whose source is missing
 */
export async function keyedPlan(
  recipes: readonly Recipe[],
  wanted: readonly string[],
  textOf: (containerfile: string) => Promise<string> = (file) => readFile(join(repository, file), 'utf8'),
): Promise<KeyedRecipe[]> {
  const plan = new Map<string, KeyedRecipe>()
  const add = async (name: string): Promise<KeyedRecipe> => {
    const known = plan.get(name)
    if (known) return known
    const recipe = recipes.find((candidate) => candidate.name === name)
    if (!recipe) {
      throw new Failure('ImageUnknown', `there is no image called ${name}`, {
        remedy: `choose from ${recipes.map((one) => one.name).join(', ')}`,
      })
    }
    const bases: string[] = []
    for (const [argument, base] of Object.entries(recipe.bases)) bases.push(argument, (await add(base)).key)
    const parts: string[] = []
    for (const part of recipe.context) parts.push(part.to, await part.key())
    const key = hashOf([await textOf(recipe.containerfile), recipe.target ?? '', ...bases, ...parts])
    const keyed = { ...recipe, key }
    plan.set(name, keyed)
    return keyed
  }
  for (const name of wanted) await add(name)
  return [...plan.values()]
}
