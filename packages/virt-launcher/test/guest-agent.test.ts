import { expect, test } from '@jest/globals'
import { client, launcher, libvirt, ok, request } from './launcher-under-test.ts'

test('a frozen guest thaws by itself when nobody comes back', async () => {
  await client.syncVirtualMachine(request)
  let status = 'thawed'
  libvirt.setAgent((command) => {
    if (command === 'guest-fsfreeze-freeze') status = 'frozen'
    if (command === 'guest-fsfreeze-thaw') status = 'thawed'
    return status
  })
  expect(await client.freezeVirtualMachine({ ...request, unfreezeTimeoutSeconds: 1 })).toMatchObject({
    success: false,
    message: expect.stringContaining('qemu-guest-agent'),
  })
  const { promise: thawed, resolve } = Promise.withResolvers<void>()
  launcher.state.facts = { agentConnected: true }
  Object.assign(launcher, { onFacts: () => launcher.state.facts.fsFreezeStatus === 'thawed' && resolve() })

  expect(await client.freezeVirtualMachine({ ...request, unfreezeTimeoutSeconds: 1 })).toEqual(ok)
  expect(status).toBe('frozen')
  expect(launcher.state.facts.fsFreezeStatus).toBe('frozen')
  await thawed

  expect(status).toBe('thawed')
})

test('a guest agent that hangs does not keep the guest from being killed', async () => {
  await client.syncVirtualMachine(request)
  launcher.state.facts = { agentConnected: true }
  const { promise: never } = Promise.withResolvers<never>()
  Object.assign(launcher.libvirt, { askAgent: () => never })

  void client.freezeVirtualMachine(request).catch(() => undefined)

  expect(await client.killVirtualMachine(request)).toEqual(ok)
})
