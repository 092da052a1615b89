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
    return stripVTControlCharacters(this.#received.replace(unfinished, ''))
  }
}

// ESC, or a control sequence (ECMA-48, 5.4) whose final byte has not come yet.
const unfinished = /\u001B(\[[0-?]*[ -/]*)?$/
