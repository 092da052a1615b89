import type { Interface, Network } from '@kubevirt-ts/api'
import type { Settings } from '../../settings.ts'
import type { Cause } from '../cause.ts'

/** An interface with the network of its name, and where the user wrote it. */
interface Attached {
  readonly iface: Interface
  readonly network: Network | undefined
  readonly index: number
  readonly path: string
  readonly field: string
  readonly settings: Settings
}

/** What one noun of an interface must be like. */
export type InterfaceRule = (attached: Attached) => Cause[]
