import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

/** A VMI named `testvmi` in namespace `default` with an empty domain and the given traits. */
export function vmi(...pieces: readonly VmiPiece[]): VirtualMachineInstance {
  const object: VirtualMachineInstance = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'testvmi', namespace: 'default' },
    spec: { domain: { devices: {} } },
  }
  for (const piece of pieces) piece(object)
  return object
}
