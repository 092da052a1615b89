/** A time that was seen on the way. Told, not judged: how long things take is the bench's. */
export function figure(what: string, milliseconds: number): void {
  process.stderr.write(`      ${what}: ${(milliseconds / 1000).toFixed(2)} s\n`)
}
