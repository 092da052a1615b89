import type { CardPlan } from './card.ts'

/** Lines for one run of `ip -batch -`. */
export interface Batch {
  readonly commands: readonly string[]
  /** The SELinux context to run in; this process's own when absent. */
  readonly context?: string
}

/** Builds a card's links, in the launcher's context where the guest's QEMU is to open what is made. */
export function linkBatches({ commands, tap }: CardPlan, context: string | undefined): Batch[] {
  if (tap === undefined) return commands.length === 0 ? [] : [{ commands }]
  if (context === undefined) return [{ commands: [...commands, tap.make, ...tap.join] }]
  return [{ commands }, { commands: [tap.make], context }, { commands: tap.join }]
}
