import { expect, test } from '@jest/globals'
import { nextCommands } from './commands.ts'

test('five next commands are offered, each with the path of its program', () => {
  const commands = nextCommands('/somewhere/bin')
  expect(commands).toHaveLength(5)
  for (const [command, why] of commands) {
    expect(command).toMatch(/^\/somewhere\/bin\/(virtctl|kubectl) /)
    expect(why).not.toBe('')
  }
})
