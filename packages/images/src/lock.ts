import type { Lock } from '@kubevirt-ts/dev-cluster'
import { imagesCache } from './places.ts'

/** Building images, which changes the engine's store and the contexts; another process may need as long as a cold build. */
export const building = (): Lock => ({
  file: imagesCache('lock'),
  purpose: 'building images',
  patience: 30 * 60_000,
})
