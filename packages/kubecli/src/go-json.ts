const escaped = /[<>&\u2028\u2029]/g

/**
 * JSON with the escapes of Go's encoder. The API server compares the value of a patch's `test` with the object's as texts,
 * and its own text has them (github.com/evanphx/json-patch v4, encoding/json): without them a test of anything that holds
 * one of these characters always fails.
 */
export const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(escaped, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
