import { bringUpProduct } from './product.ts'

/** Before the first e2e test: a cluster of the tests' own, with the product's images and guests in its registry. */
export default async function globalSetup(): Promise<void> {
  await bringUpProduct()
}
