export { allKinds, everyFieldSet, schemaFor } from './every-field-set.ts'
