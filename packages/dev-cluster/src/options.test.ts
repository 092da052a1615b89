import { describe, expect, it } from '@jest/globals'
import { parseOptions } from './options.ts'

describe('the command line', () => {
  it('means the demo cluster with one node unless it says otherwise', () => {
    expect(parseOptions(['up'])).toMatchObject({ action: 'up', name: 'demo', nodes: 1 })
  })

  it('takes options before and after the command', () => {
    expect(parseOptions(['--name', 'test', 'up', '--nodes=2'])).toMatchObject({ name: 'test', nodes: 2 })
  })

  it('shows the help when nothing or help is asked for', () => {
    expect(parseOptions([]).action).toBe('help')
    expect(parseOptions(['up', '--help']).action).toBe('help')
  })

  it.each([
    [['fly'], 'there is no command "fly"'],
    [['up', '--speed=9'], "Unknown option '--speed'"],
    [['up', '--nodes', 'two'], '--nodes takes a number, not "two"'],
    [['down', 'demo'], 'down takes no argument, but there is "demo"'],
    [['load-image'], 'load-image needs an image or a file'],
  ])('%j is refused with a reason', (argv, message) => {
    expect(() => parseOptions(argv)).toThrow(message)
  })
})
