import { describe, expect, it } from '@jest/globals'
import { addressesOf, chooseSlot, maxNodes, nodeAddressesOf, slots } from './addresses.ts'

describe('addresses', () => {
  it('are the documented ones for the first cluster', () => {
    expect(addressesOf(0)).toMatchObject({
      bridge: 'kvts0',
      host: '198.19.255.1',
      pods: '198.18.0.0/20',
      services: '198.18.128.0/20',
      dnsService: '198.18.128.10',
    })
    expect(nodeAddressesOf(0, 2)).toEqual({
      address: '198.19.255.12',
      addressWithPrefix: '198.19.255.12/24',
      pods: '198.18.2.0/24',
      gateway: '198.18.2.1',
      link: 'kvts0n2',
    })
  })

  it('of all clusters and nodes differ and are valid', () => {
    const all = Array.from({ length: slots }, (_, slot) => slot)
    const nodes = Array.from({ length: maxNodes }, (_, i) => i + 1)
    const pods = all.flatMap((slot) => nodes.map((node) => nodeAddressesOf(slot, node).pods))
    const ports = all.flatMap((slot) => Object.values(addressesOf(slot).ports).filter((port) => port !== 5000))
    expect(new Set(pods).size).toBe(slots * maxNodes)
    expect(new Set(ports).size).toBe(slots * 5)
    expect(pods.every((range) => Number(range.split('.')[2]) < 128)).toBe(true)
    expect(addressesOf(slots - 1).services).toBe('198.18.240.0/20')
  })
})

describe('the slot of a new cluster', () => {
  it('is fixed for demo and test', () => {
    expect(chooseSlot('demo', new Set())).toBe(0)
    expect(chooseSlot('test', new Set([0]))).toBe(1)
  })

  it('leaves the fixed ones to demo and test while others are free', () => {
    expect(chooseSlot('mine', new Set())).toBe(2)
    expect(chooseSlot('mine', new Set([2, 3]))).toBe(4)
  })

  it('is another one where the fixed one is taken, and none where all are', () => {
    expect(chooseSlot('demo', new Set([0]))).toBe(2)
    expect(chooseSlot('demo', new Set([0, 1, 2, 3, 4, 5, 6, 7]))).toBeUndefined()
  })
})
