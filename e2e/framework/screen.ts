import { stripVTControlCharacters } from 'node:util'

/** What a terminal has shown, as words: shells ask the terminal for its size and colour their prompts. */
export class Screen {
  #received = ''

  /** Takes what came from the terminal, cut anywhere. */
  write(text: string): void {
    this.#received += text
  }

  /** Everything shown so far, without control sequences; the beginning of one that is still coming is left out. */
  get text(): string {
    const last = this.#received.lastIndexOf(escape)
    const unfinished = last >= 0 && beginning.test(this.#received.slice(last + escape.length))
    return stripVTControlCharacters(unfinished ? this.#received.slice(0, last) : this.#received)
  }
}

const escape = '\u001B'
// What may follow the escape before the final byte of a control sequence (ECMA-48, 5.4).
const beginning = /^(\[[0-?]*[ -/]*)?$/
