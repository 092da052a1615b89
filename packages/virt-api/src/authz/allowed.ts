/** How long a review that let somebody do something holds, as in the API servers that are made with Kubernetes' library. */
const holdsMs = 10_000
/** More are not remembered: the oldest gives way. */
const most = 1024

/**
 * What users were lately allowed to do. A refusal is never remembered, so that a right that was just given works at once;
 * one that was taken away may work for ten seconds more.
 */
export class Allowed {
  /** When each ends, oldest first. */
  readonly #until = new Map<string, number>()

  has(review: string, now: number): boolean {
    const until = this.#until.get(review)
    if (until === undefined) return false
    if (now < until) return true
    this.#until.delete(review)
    return false
  }

  add(review: string, now: number): void {
    this.#until.delete(review)
    this.#until.set(review, now + holdsMs)
    if (this.#until.size <= most) return
    const [oldest] = this.#until.keys()
    this.#until.delete(oldest!)
  }
}
