import { expect, test } from '@jest/globals'
import { Screen } from './screen.ts'

const sent = 'guest login: root\r\n\u001B[1;32m~ #\u001B[0m \u001B[6n'

test.each(Array.from({ length: sent.length + 1 }, (_, cut) => cut))(
  'control sequences are no text, cut after %d characters',
  (cut) => {
    const screen = new Screen()
    screen.write(sent.slice(0, cut))
    expect('guest login: root\r\n~ # '.startsWith(screen.text)).toBe(true)
    screen.write(sent.slice(cut))
    expect(screen.text).toBe('guest login: root\r\n~ # ')
  },
)

test('what stands on the screen never changes when more comes', () => {
  const screen = new Screen()
  let before = ''
  for (const character of sent) {
    screen.write(character)
    expect(screen.text.startsWith(before)).toBe(true)
    before = screen.text
  }
})
