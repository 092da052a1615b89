/** The custom resources and how the API server serves them: `schema/kinds.json`. */
import { readFileSync } from 'node:fs'
import type { CustomResourceDefinitionVersion } from '../src/kubernetes/extensions.ts'

export interface Kind {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: string[]
  readonly categories?: string[]
  readonly scope: 'Namespaced' | 'Cluster'
  /** All are served and share one schema. */
  readonly versions: readonly { readonly name: string; readonly storage?: true; readonly deprecationWarning?: string }[]
  readonly columns?: NonNullable<CustomResourceDefinitionVersion['additionalPrinterColumns']>
  readonly subresources?: NonNullable<CustomResourceDefinitionVersion['subresources']>
}

export function readKinds(): readonly Kind[] {
  return JSON.parse(readFileSync(new URL('../schema/kinds.json', import.meta.url), 'utf8')) as Kind[]
}
