const mebibyte = 1024 ** 2

/** What of a machine decides how Go builds fastest: bytes of free memory, processors. */
export type BuildMachine = { readonly memory: number; readonly processors: number }

/**
 * How some thousand packages compile soonest: as many compilers as processors, none with threads of its own, none
 * collecting garbage before it has its share of half the memory.
 */
export const compilerEnvironment = ({ memory, processors }: BuildMachine): Record<string, string> => {
  const share = Math.floor(memory / 2 / processors / mebibyte)
  return { GOGC: 'off', GOMEMLIMIT: `${Math.max(512, Math.min(2048, share))}MiB`, GOMAXPROCS: '1' }
}

/**
 * Flags of `go build`. What a debugger would need is left out, and Kubernetes' own packages are compiled without
 * inlining: that saves a third of the time, and the libraries below them, where the time of a running cluster goes, keep it.
 */
export const compilerFlags = ({ processors }: Pick<BuildMachine, 'processors'>): readonly string[] => [
  '-trimpath',
  '-buildvcs=false',
  '-p',
  String(processors),
  '-gcflags=all=-dwarf=false -c=1',
  '-gcflags=k8s.io/...=-dwarf=false -c=1 -l',
]
