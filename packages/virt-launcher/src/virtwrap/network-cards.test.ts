import { expect, test } from '@jest/globals'
import type { DomainInterface } from '@kubevirt-ts/domain'
import { changesOfCards, withNetwork } from './network-cards.ts'

const card = (name: string, more: Partial<DomainInterface> = {}): DomainInterface => ({
  $type: 'ethernet',
  source: {},
  alias: { $name: `ua-${name}` },
  ...more,
})
const plan = new Map([
  ['default', { tap: 'tap0', mac: '02:00:00:00:00:01', mtu: 1400 }],
  ['blue', { tap: 'tapblue', mac: '02:00:00:00:00:02', mtu: 1500 }],
])

test('a card that the guest lacks is plugged in on its tap', () => {
  const changes = changesOfCards([card('default')], [card('default'), card('blue')], plan)

  expect(changes).toMatchObject({ detach: [], update: [] })
  expect(changes.attach).toEqual([
    {
      name: 'blue',
      card: card('blue', {
        target: { $dev: 'tapblue', $managed: 'no' },
        mac: { $address: '02:00:00:00:00:02' },
        mtu: { $size: '1500' },
      }),
    },
  ])
})

test('a card without its pod side waits', () => {
  expect(changesOfCards([], [card('red')], plan).attach).toEqual([])
})

test('a card that is not wanted any more is given up as the guest has it', () => {
  const blue = card('blue', { target: { $dev: 'tapblue', $managed: 'no' } })

  expect(changesOfCards([card('default'), blue], [card('default')], plan).detach).toEqual([
    { name: 'blue', card: blue },
  ])
})

test.each([
  ['down', card('default', { link: { $state: 'down' } }), card('default')],
  ['up', card('default'), card('default', { link: { $state: 'down' } })],
] as const)('a link is set %s', (state, wish, present) => {
  expect(changesOfCards([present], [wish], plan).update).toMatchObject([
    { name: 'default', card: { link: { $state: state } } },
  ])
})

test('a guest with the cards it is to have is left alone', () => {
  expect(changesOfCards([card('default')], [card('default')], plan)).toEqual({ attach: [], detach: [], update: [] })
})

test('a guest is not defined with a card that leads nowhere', () => {
  const domain = { devices: { interface: [card('red')] } } as unknown as Parameters<typeof withNetwork>[0]

  expect(() => withNetwork(domain, plan)).toThrow('red')
})
