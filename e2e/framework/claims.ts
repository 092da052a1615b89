import { kubectl } from './kubectl.ts'

/**
 * Deletes claims of `manifests/claims.ts` with their volumes, as nobody else does: a volume that was another claim's, on a
 * cluster that somebody lent or in an earlier run, would not be bound again.
 */
export async function forgetClaims(namespace: string, ...names: string[]): Promise<void> {
  const gone = ['--ignore-not-found', '--timeout=120s']
  await kubectl('delete', 'pvc', ...names, '-n', namespace, ...gone)
  await kubectl('delete', 'pv', ...names.map((name) => `${namespace}-${name}`), ...gone)
}
