import { describe, expect, it } from '@jest/globals'
import { guestNames, imageNames } from './catalog.ts'
import { parseImagesOptions } from './options.ts'

describe('the command line', () => {
  it('means everything when it is empty', () => {
    expect(parseImagesOptions([])).toEqual({ build: imageNames, guests: guestNames, push: undefined, tag: undefined })
  })

  it('takes names behind build and guests, and a destination for push', () => {
    const argv = ['build', 'virt-api', 'guests', 'guest-tiny', 'push', '--cluster', 'demo', '--tag=2']
    expect(parseImagesOptions(argv)).toEqual({
      build: ['virt-api'],
      guests: ['guest-tiny'],
      push: { cluster: 'demo' },
      tag: '2',
    })
  })

  it.each([
    [['buld'], 'unknown command "buld"'],
    [['build', 'virt-apy'], 'there is no image called virt-apy'],
    [['push'], 'push needs either --cluster NAME or --registry HOST/PATH'],
    [['push', '--cluster', 'a', '--registry', 'b'], 'push needs either'],
    [['push', 'virt-api', '--cluster', 'a'], 'push takes no names'],
    [['build', '--cluster', 'a'], '--cluster and --registry belong to the command push'],
    [['--tag'], '--tag needs a value'],
    [['--force'], 'unknown flag --force'],
  ])('%j is refused: %s', (argv, message) => {
    expect(() => parseImagesOptions(argv)).toThrow(message)
  })
})
