/** One build of a Containerfile. */
export type BuildRequest = {
  readonly containerfile: string
  /** Folder that the Containerfile copies from. */
  readonly context: string
  readonly reference: string
  readonly target?: string
  readonly arguments: Readonly<Record<string, string>>
  /** File that gets the engine's output. */
  readonly log: string
}

/** What images are built with: one of the common container programs. */
export type Engine = {
  /** What a user calls it: `buildah`. */
  readonly name: string
  /** Every reference that it holds -> the id of its image. */
  references(): Promise<ReadonlyMap<string, string>>
  build(request: BuildRequest): Promise<void>
  tag(reference: string, as: string): Promise<void>
  /** Forgets references; the layers go with the last of them. */
  remove(references: readonly string[]): Promise<void>
  /** Fetches an image from its registry; false where that cannot be reached. */
  pull(reference: string): Promise<boolean>
  /** Copies an image to a registry. `plain` allows HTTP, for a registry on this machine. */
  push(reference: string, destination: string, options: { readonly plain: boolean }): Promise<void>
  /** Writes an image with its name into an archive that every engine and cluster tool can load. */
  save(reference: string, file: string): Promise<void>
  /** Gives back what interrupted builds left in a store of our own: working containers and their mounts. */
  release(): Promise<void>
  /** Copies files out of an image into a folder that exists. */
  extract(reference: string, folder: string): Promise<void>
}
