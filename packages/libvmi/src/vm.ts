import { runStrategy } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineInstance, VirtualMachineRunStrategy } from '@kubevirt-ts/api'
import type { VmPiece } from './piece.ts'

/** A halted VM with the VMI as its template; name and namespace are the VMI's, labels and annotations go to the template. */
export function vm(template: VirtualMachineInstance, ...pieces: readonly VmPiece[]): VirtualMachine {
  const { name, namespace, labels, annotations } = template.metadata
  const object: VirtualMachine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      runStrategy: runStrategy.halted,
      template: {
        metadata: { ...(labels && { labels: { ...labels } }), ...(annotations && { annotations: { ...annotations } }) },
        spec: structuredClone(template.spec),
      },
    },
  }
  for (const piece of pieces) piece(object)
  return object
}

export function withRunStrategy(strategy: VirtualMachineRunStrategy): VmPiece {
  return (object) => {
    delete object.spec.running
    object.spec.runStrategy = strategy
  }
}

/** The old boolean in place of the run strategy. */
export function withRunning(running: boolean): VmPiece {
  return (object) => {
    delete object.spec.runStrategy
    object.spec.running = running
  }
}
