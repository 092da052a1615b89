import { describe, expect, it } from '@jest/globals'
import { letsAllPass, removeLink } from './network.ts'

describe('a firewall chain', () => {
  it('lets all pass when it is empty and its policy accepts', () => {
    expect(letsAllPass('-P FORWARD ACCEPT\n')).toBe(true)
    expect(letsAllPass('')).toBe(true)
  })

  it('does not when it drops, or has rules', () => {
    expect(letsAllPass('-P FORWARD DROP\n')).toBe(false)
    expect(letsAllPass('-P FORWARD ACCEPT\n-A FORWARD -j DOCKER-USER\n')).toBe(false)
  })
})

describe('a network link that is to go', () => {
  it('may be gone already: the kernel was faster', async () => {
    await removeLink('kvts-nobody')
  })

  it('is told by name when it stays', async () => {
    await expect(removeLink('lo')).rejects.toMatchObject({
      reason: 'NetworkFailed',
      message: 'the network link lo cannot be removed',
    })
  })
})
