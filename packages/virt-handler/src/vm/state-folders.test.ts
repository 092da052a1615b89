import { expect, test } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { stateFolders } from './state-folders.ts'

const vmi = (
  { tpm, persistent }: { tpm?: { persistent?: boolean; enabled?: boolean }; persistent?: boolean },
  runtimeUser = 107,
): VirtualMachineInstance => ({
  metadata: { name: 'vm' },
  spec: {
    domain: {
      devices: { ...(tpm && { tpm }) },
      ...(persistent === undefined ? {} : { firmware: { bootloader: { efi: { persistent } } } }),
    },
  },
  status: { runtimeUser },
})

test.each([
  ['a TPM that remembers', { tpm: { persistent: true } }, ['swtpm', 'swtpm-localca']],
  ['a TPM that forgets', { tpm: {} }, []],
  ['a TPM that is switched off', { tpm: { persistent: true, enabled: false } }, []],
  ['a firmware that remembers', { persistent: true }, ['nvram']],
  ['a firmware that forgets', { persistent: false }, []],
  ['both', { tpm: { persistent: true }, persistent: true }, ['swtpm', 'swtpm-localca', 'nvram']],
])("%s: the folders that are its user's", (_, wish, names) => {
  expect(stateFolders(vmi(wish)).map((folder) => folder.split('/').at(-1))).toEqual(names)
})

test('a guest that root runs has its folders already', () => {
  expect(stateFolders(vmi({ persistent: true }, 0))).toEqual([])
})
