import { parseQuantity } from '@kubevirt-ts/api'
import { CommandError } from '../command.ts'

/** An amount as Kubernetes writes it, such as 512Mi; `flag` is how the user names it. Throws for another text. */
export function quantity(text: string, flag: string): string {
  try {
    parseQuantity(text)
    return text
  } catch {
    throw new CommandError(`failed to parse "--${flag}" flag: ${text} is no amount; write for example 512Mi or 2Gi`)
  }
}
