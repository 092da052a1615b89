import { join } from 'node:path'
import { ensurePause } from './images/pause.ts'
import { preparing, withLock } from './lock.ts'
import { ensurePackages } from './packages.ts'
import { cacheDir } from './paths.ts'
import { ensureKubernetes, isKubernetesCached } from './programs/kubernetes.ts'
import { ensureTools } from './programs/tools.ts'
import { kubernetesVersion } from './programs/versions.ts'
import { runSteps } from './steps.ts'
import type { Progress, Step } from './steps.ts'
import { together } from './together.ts'

/**
 * Gets everything that clusters of this machine share. A build of Kubernetes keeps the processors busy, what is fetched
 * the network: both happen at once.
 * @throws Failure
 */
export const prepare = (onProgress: Progress | undefined, outer: AbortSignal): Promise<void> =>
  withLock(preparing(), () =>
    together(
      [
        async (signal) => runSteps([await programsStep()], onProgress, signal),
        (signal) => runSteps(toolSteps(), onProgress, signal),
      ],
      outer,
    ),
  )

const logOf = (part: string): string => join(cacheDir(), 'logs', `${part}.log`)

const programsStep = async (): Promise<Step> => ({
  title: `Kubernetes ${kubernetesVersion} available`,
  ...((await isKubernetesCached()) ? {} : { hint: 'a build from source takes some minutes' }),
  run: async (signal) => `from ${await ensureKubernetes(logOf('build'), signal)}`,
})

const toolSteps = (log = logOf('prepare')): Step[] => [
  {
    title: 'system packages installed',
    run: async () => (await ensurePackages(log)).join(' ') || undefined,
  },
  { title: 'kubectl and helm available', run: () => ensureTools(log) },
  { title: 'pause available', run: async () => void (await ensurePause(log)) },
]
