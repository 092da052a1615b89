import { Failure, runSteps, type Progress, type Step } from '@kubevirt-ts/dev-cluster'
import { imageNames } from './catalog.ts'
import { placeOf, type Destination } from './destination.ts'
import { chooseEngine } from './engine/choose.ts'
import type { Engine } from './engine/engine.ts'
import { productVersion } from './product-version.ts'
import { isPushed, notePushed } from './pushed.ts'
import { imageReference } from './recipe.ts'

export type PushOptions = Destination & {
  /** Which images; those that the chart installs when left out. */
  readonly names?: readonly string[]
  /** Their tag; the chart's appVersion when left out. */
  readonly tag?: string
  readonly onProgress?: Progress
}

/** Copies built images to a registry, as far as it does not have them. Returns each image's id. @throws Failure */
export async function pushImages(options: PushOptions): Promise<string[]> {
  const { names = imageNames, tag = productVersion(), onProgress = {} } = options
  const engine = await chooseEngine()
  const present = await engine.references()
  const steps = names.map((name): Step => {
    const reference = imageReference(name, tag)
    return {
      title: `${name}:${tag} in the registry`,
      run: () => pushOne(engine, present, reference, reference, options),
    }
  })
  await runSteps(steps, onProgress)
  return names.map((name) => present.get(imageReference(name, tag)) ?? '')
}

/** Gives a built guest to a cluster's pods under another image's name, such as the one that an example manifest uses. */
export async function pushGuestAs(
  guest: string,
  image: string,
  { tag = productVersion(), ...destination }: Destination & { readonly tag?: string },
): Promise<void> {
  const engine = await chooseEngine()
  await pushOne(engine, await engine.references(), imageReference(guest, tag), image, destination)
}

async function pushOne(
  engine: Engine,
  present: ReadonlyMap<string, string>,
  reference: string,
  as: string,
  destination: Destination,
): Promise<string> {
  const id = present.get(reference)
  if (!id) {
    throw new Failure('ImageMissing', `${engine.name} has no image ${reference}`, {
      remedy: 'build it first: npm run images -- build, or for guests: npm run images -- guests',
    })
  }
  const place = await placeOf(destination, as)
  if (await isPushed(place, id)) return 'already there'
  await engine.push(reference, place.reference, place)
  await notePushed(place, id)
  return place.reference
}
