import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withLock } from '@kubevirt-ts/dev-cluster'
import { chooseEngine } from './engine/choose.ts'
import { building } from './lock.ts'

/** Writes a built image (`NAME:TAG` with its prefix) into an archive for `kind load`, `minikube image load` and the like. */
export async function saveImage(reference: string, file: string): Promise<void> {
  await withLock(building(), async () => {
    await mkdir(dirname(file), { recursive: true })
    await (await chooseEngine()).save(reference, file)
  })
}
