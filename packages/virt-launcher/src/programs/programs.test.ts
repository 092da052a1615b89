import { describe, expect, test } from '@jest/globals'
import { parseOptions } from '@kubevirt-ts/service'
import { freezer, freezerOptions } from './freezer.ts'
import { probe, probeOptions } from './probe.ts'

const ok = { success: true, message: '' }
const probeFlags = (...flags: string[]) => parseOptions(probeOptions, flags, {})
const freezerFlags = (...flags: string[]) => parseOptions(freezerOptions, flags, {})

describe('virt-probe', () => {
  const launcher = (exitCode: number, response = ok) => ({
    exec: async () => ({ response, exitCode, stdOut: 'said\n' }),
    guestPing: async () => ({ response }),
  })

  test.each([0, 7])('ends with exit code %d of the command in the guest, and prints what it wrote', async (code) => {
    const printed: string[] = []
    const flags = probeFlags('--domainName', 'ns_vm', '--timeoutSeconds', '5', '--command', 'cat')

    expect(await probe(flags, ['/etc/hostname'], launcher(code), (text) => printed.push(text))).toBe(code)
    expect(printed).toEqual(['said\n'])
  })

  test('fails with the reason when the agent does not answer', async () => {
    const silent = launcher(0, { success: false, message: 'agent is not connected' })

    await expect(probe(probeFlags('--guestAgentPing'), [], silent, () => {})).rejects.toThrow('agent is not connected')
  })

  test('says what is missing when it is asked for nothing', async () => {
    await expect(probe(probeFlags(), [], launcher(0), () => {})).rejects.toThrow('--command')
  })
})

describe('virt-freezer', () => {
  const launcher = (agent: string, calls: unknown[] = []) => ({
    getGuestInfo: async () => ({ response: ok, guestInfoResponse: JSON.stringify({ guestAgentVersion: agent }) }),
    freezeVirtualMachine: async ({ unfreezeTimeoutSeconds }: { unfreezeTimeoutSeconds?: number }) => {
      calls.push(['freeze', unfreezeTimeoutSeconds])
      return ok
    },
    unfreezeVirtualMachine: async () => {
      calls.push(['unfreeze'])
      return ok
    },
  })

  test('freezes with the time after which the guest thaws by itself, and thaws', async () => {
    const calls: unknown[] = []
    const flags = freezerFlags('--freeze', '--name', 'vm', '--namespace', 'ns', '--unfreezeTimeoutSeconds', '60')

    expect(await freezer(flags, launcher('9.0', calls), () => {})).toBe(0)
    expect(await freezer(freezerFlags('--unfreeze'), launcher('9.0', calls), () => {})).toBe(0)
    expect(calls).toEqual([['freeze', 60], ['unfreeze']])
  })

  test('has nothing to freeze in a guest without an agent', async () => {
    const calls: unknown[] = []

    expect(await freezer(freezerFlags('--freeze'), launcher('', calls), () => {})).toBe(0)
    expect(calls).toEqual([])
  })

  test('wants to know which of the two', async () => {
    await expect(freezer(freezerFlags(), launcher('9.0'), () => {})).rejects.toThrow('--freeze')
  })
})
