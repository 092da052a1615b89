export { applyTo, type Applied, type Subject } from './apply.ts'
export { copyName, copyOf, fromCopy } from './copies.ts'
export { expand, type Expanded } from './expand.ts'
export {
  find,
  instancetypeReference,
  preferenceReference,
  type Found,
  type Instancetype,
  type Lookup,
  type Preference,
  type Reference,
} from './find.ts'
export { unmetRequirements } from './requirements.ts'
