import type { Storage } from './claim-state.ts'

/** A namespace without claims, for tests that are about something else. */
export const noStorage: Storage = {
  claim: () => undefined,
  dataVolume: () => undefined,
  storageClass: () => undefined,
}
