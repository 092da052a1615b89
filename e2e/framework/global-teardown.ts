import { takeDownProduct } from './product.ts'

/** After the last e2e test: nothing of the tests' cluster is left, unless somebody wants to look at it. */
export default async function globalTeardown(): Promise<void> {
  await takeDownProduct()
}
