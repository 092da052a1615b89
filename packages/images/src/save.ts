import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chooseEngine } from './engine/choose.ts'
import { exclusively } from './exclusive.ts'

/** Writes a built image (`NAME:TAG` with its prefix) into an archive for `kind load`, `minikube image load` and the like. */
export async function saveImage(reference: string, file: string): Promise<void> {
  await exclusively(async () => {
    await mkdir(dirname(file), { recursive: true })
    await (await chooseEngine()).save(reference, file)
  })
}
