/** A file or folder of the build context. */
export type ContextPart = {
  /** Path in the context, as the Containerfile copies it. */
  readonly to: string
  /** Hash of what it holds, known without making it. */
  readonly key: () => Promise<string>
  /** Makes it where it is missing and returns its path on this machine. */
  readonly path: () => Promise<string>
}

/** How one image is made. */
export type Recipe = {
  readonly name: string
  /** Containerfile, relative to the checkout. */
  readonly containerfile: string
  /** The stage to build where the Containerfile has several results. */
  readonly target?: string
  /** Build argument of the Containerfile -> name of the recipe whose image it names. */
  readonly bases: Readonly<Record<string, string>>
  readonly context: readonly ContextPart[]
}

/** A recipe with the hash of all that goes into its image. */
export type KeyedRecipe = Recipe & { readonly key: string }

/** Where images live locally and in the chart's default values. */
export const imagePrefix = 'localhost/kubevirt-ts'

/** `NAME:TAG` as pods and charts say it. */
export const imageReference = (name: string, tag: string): string => `${imagePrefix}/${name}:${tag}`

/** The name under which the engine keeps the image made from exactly these inputs. */
export const keyedReference = ({ name, key }: Pick<KeyedRecipe, 'name' | 'key'>): string =>
  imageReference(name, `k-${key}`)
