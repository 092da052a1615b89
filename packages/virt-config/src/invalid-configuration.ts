/** A configuration that cannot be used; the fields are those of the KubeVirt resource. */
export class InvalidConfiguration extends Error {
  readonly reason = 'InvalidConfiguration'
  readonly field: string

  constructor(field: string, problem: string) {
    super(`KubeVirt field ${field} ${problem}`)
    this.name = 'InvalidConfiguration'
    this.field = field
  }
}
