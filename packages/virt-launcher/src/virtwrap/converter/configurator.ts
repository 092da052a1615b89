import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { DomainSpec } from '@kubevirt-ts/domain'
import type { Architecture } from './arch/architecture.ts'
import type { ConverterContext } from './context.ts'

export type Guest = {
  readonly vmi: VirtualMachineInstance
  readonly context: ConverterContext
  readonly arch: Architecture
}

/** Adds one concern of the guest to the domain. Pure but for the domain that it is given. */
export type Configurator = (domain: DomainSpec, guest: Guest) => void
