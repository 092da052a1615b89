import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runSteps, withLock, type Progress, type Step } from '@kubevirt-ts/dev-cluster'
import { baseSystem, ensureBaseSystem } from './base-system.ts'
import { guestNames, imageNames, recipes } from './catalog.ts'
import { layOutContext } from './context.ts'
import { chooseEngine } from './engine/choose.ts'
import type { Engine } from './engine/engine.ts'
import { keyedPlan } from './keys.ts'
import { building } from './lock.ts'
import { imagesCache, repository } from './places.ts'
import { productVersion } from './product-version.ts'
import { imageReference, keyedReference, type KeyedRecipe } from './recipe.ts'

export type BuildOptions = {
  /** Which images; all of the kind when left out. */
  readonly names?: readonly string[]
  /** Tag of the results; the chart's appVersion when left out. */
  readonly tag?: string
  readonly onProgress?: Progress
  /** Ends the work between two images. */
  readonly signal?: AbortSignal
}

/** Makes the images that the chart installs, as far as they are not there. Returns their references. @throws Failure */
export const buildImages = (options: BuildOptions = {}): Promise<string[]> => buildAll(imageNames, options)

/** The same for the guests of tests and demo. */
export const buildGuests = (options: BuildOptions = {}): Promise<string[]> => buildAll(guestNames, options)

/** Gives back the mounts that interrupted builds left on this machine; without a store there are none. */
export async function releaseBuilds(): Promise<void> {
  if (existsSync(imagesCache('store'))) await withLock(building(), async () => (await chooseEngine()).release())
}

function buildAll(
  all: readonly string[],
  { names = all, tag = productVersion(), onProgress = {}, signal }: BuildOptions,
): Promise<string[]> {
  return withLock(building(), async () => {
    const engine = await chooseEngine()
    const plan = await planOf(names, onProgress)
    const present = await engine.references()
    const missing = missingOf(plan, names, (reference) => present.has(reference))
    if (missing.length > 0) {
      try {
        await runSteps(buildSteps(engine, plan, missing), onProgress, signal)
      } finally {
        // A stage that is only copied from keeps its container, and a failed build all of them.
        await engine.release()
      }
    }
    await tagAll(engine, plan, names, tag)
    return names.map((name) => imageReference(name, tag))
  })
}

async function planOf(names: readonly string[], progress: Progress): Promise<KeyedRecipe[]> {
  let plan: KeyedRecipe[] = []
  const step: Step = {
    title: `sources of ${names.length} images compared`,
    async run() {
      plan = await keyedPlan(recipes, names)
    },
  }
  await runSteps([step], progress)
  return plan
}

/** What has to be built, bases first: the wanted images that are not there, and the missing ones among their bases. */
export function missingOf(
  plan: readonly KeyedRecipe[],
  wanted: readonly string[],
  isThere: (reference: string) => boolean,
): KeyedRecipe[] {
  const needed = new Set<string>()
  const need = (name: string): void => {
    const recipe = plan.find((candidate) => candidate.name === name)
    if (!recipe || isThere(keyedReference(recipe))) return
    needed.add(name)
    Object.values(recipe.bases).forEach(need)
  }
  wanted.forEach(need)
  return plan.filter(({ name }) => needed.has(name))
}

const buildSteps = (engine: Engine, plan: readonly KeyedRecipe[], missing: readonly KeyedRecipe[]): Step[] => [
  { title: `base system ${baseSystem}`, hint: 'up to a minute the first time', run: () => ensureBaseSystem(engine) },
  ...missing.map((recipe): Step => ({
    title: `image ${recipe.name}`,
    hint: `building with ${engine.name}`,
    run: () => buildOne(engine, plan, recipe),
  })),
]

async function buildOne(engine: Engine, plan: readonly KeyedRecipe[], recipe: KeyedRecipe): Promise<void> {
  const log = imagesCache('logs', `${recipe.name}.log`)
  await mkdir(dirname(log), { recursive: true })
  const built = new Map(plan.map((one) => [one.name, keyedReference(one)]))
  const values = Object.entries(recipe.bases).map(([argument, base]) => [argument, built.get(base) ?? base] as const)
  await engine.build({
    containerfile: join(repository, recipe.containerfile),
    context: await layOutContext(recipe),
    reference: keyedReference(recipe),
    ...(recipe.target ? { target: recipe.target } : {}),
    arguments: Object.fromEntries(values),
    log,
  })
}

/** Gives the wanted images their tag, and lets go of what earlier builds left under keys that no longer count. */
async function tagAll(
  engine: Engine,
  plan: readonly KeyedRecipe[],
  wanted: readonly string[],
  tag: string,
): Promise<void> {
  const present = await engine.references()
  for (const image of plan) {
    const made = keyedReference(image)
    const tagged = imageReference(image.name, tag)
    if (wanted.includes(image.name) && present.get(made) !== present.get(tagged)) await engine.tag(made, tagged)
    const old = [...present.keys()].filter((one) => one.startsWith(imageReference(image.name, 'k-')) && one !== made)
    if (old.length > 0) await engine.remove(old)
  }
}
