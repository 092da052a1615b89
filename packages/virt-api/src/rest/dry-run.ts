import { StatusError } from '../status-error.ts'

/**
 * Whether a request is to change nothing: by the options in its body, or by its address, as every request to Kubernetes can
 * say it. Throws a 422 for another word than `All`, of which nobody could say what is to be left undone.
 */
export function isDryRun(query: unknown, body: object): boolean {
  const words = [query as object, body].flatMap(said)
  const other = words.find((word) => word !== 'All')
  if (other === undefined) return words.length > 0
  const message = `Unsupported value: ${JSON.stringify(other).slice(0, 80)}: supported values: "All"`
  const causes = [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }]
  throw new StatusError(422, `dryRun: ${message}`, { causes })
}

/** The words under the key, whatever its case, as Go reads it; what is no word is for the reader of the options to refuse. */
const said = (from: object): string[] =>
  Object.entries(from)
    .filter(([key]) => key.toLowerCase() === 'dryrun')
    .flatMap(([, value]) => value as unknown)
    .filter((word) => typeof word === 'string')
