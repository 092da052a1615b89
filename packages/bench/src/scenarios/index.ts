import { admission } from './admission.ts'
import { burst } from './burst.ts'
import { churn } from './churn.ts'
import { guard } from './guard.ts'
import { idle } from './idle.ts'
import { nodeLoss } from './node-loss.ts'
import { restart } from './restart.ts'
import type { Scenario } from './scenario.ts'
import { steady } from './steady.ts'
import { subresources } from './subresources.ts'
import { watchIntake } from './watch-intake.ts'

/** Every scenario of the scale lab. */
export const scenarios: readonly Scenario[] = [
  steady,
  burst,
  churn,
  restart,
  idle,
  watchIntake,
  admission,
  subresources,
  nodeLoss,
  guard,
]
