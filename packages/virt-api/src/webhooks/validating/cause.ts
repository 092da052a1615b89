/** One thing that is wrong with an object, in the shape of a Status cause. */
export interface Cause {
  readonly reason: CauseReason
  readonly field: string
  readonly message: string
}

export type CauseReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueNotSupported'
  | 'FieldValueNotFound'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  // What does not fit the schema has no type.
  | ''

const causeOf =
  (reason: CauseReason) =>
  (field: string, message: string): Cause => ({ reason, field, message })

export const invalid = causeOf('FieldValueInvalid')
export const required = causeOf('FieldValueRequired')
export const notSupported = causeOf('FieldValueNotSupported')
export const notFound = causeOf('FieldValueNotFound')
export const duplicate = causeOf('FieldValueDuplicate')
export const forbidden = causeOf('FieldValueForbidden')

/** `[cause]` when `wrong`, else nothing: for rules that are one condition. */
export const when = (wrong: boolean, cause: () => Cause): Cause[] => (wrong ? [cause()] : [])

/** The end of a message that lists what may be written instead. */
export const oneOf = (values: readonly string[]): string => `use one of ${values.join(', ')}`
