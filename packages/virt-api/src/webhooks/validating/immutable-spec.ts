import { isDeepStrictEqual } from 'node:util'
import { invalid, when } from './cause.ts'
import type { KindRule } from './of-kind.ts'

/** A request's spec stays as it was made; the message has the original's slip, which clients may look for. */
export const immutableSpec: KindRule<{ spec?: unknown }> = ({ object, old }) =>
  when(old !== undefined && !isDeepStrictEqual(old.spec, object.spec), () =>
    invalid('spec', 'spec in immutable after creation; delete the object and make another'),
  )
