import { expect, test } from '@jest/globals'
import { commands } from './commands.ts'

test('the list says of every command what the command says of itself', async () => {
  for (const { name, summary, load } of commands) expect(await load()).toMatchObject({ name, summary })
})

test('every command shows examples that call it, and tells what each does', async () => {
  for (const { name, load } of commands) {
    const { examples } = await load()
    expect({ name, examples: examples.length }).not.toEqual({ name, examples: 0 })
    for (const [does, line] of examples) {
      expect({ name, does }).toEqual({ name, does: expect.stringMatching(/:$/) })
      expect(line).toContain(name)
    }
  }
})
