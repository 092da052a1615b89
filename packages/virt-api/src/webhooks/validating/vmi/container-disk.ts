import { invalid, required, when } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** What is wrong with a path inside an image; undefined when it names a file plainly. */
export function pathProblem(path: string): string | undefined {
  if (path === '/') return 'must not be the root directory'
  if (!path.startsWith('/')) return 'must be an absolute path to a file without relative elements'
  const clean = '/' + path.split('/').filter(Boolean).join('/')
  if ((clean !== path && `${clean}/` !== path) || path.split('/').some((part) => part === '.' || part === '..')) {
    return `must be an absolute path to a file without relative elements`
  }
  return undefined
}

export const containerDisks: Rule = ({ spec, field }) =>
  (spec.volumes ?? []).flatMap(({ containerDisk }, index) => {
    if (!containerDisk) return []
    const path = `${field}.volumes[${index}].containerDisk`
    const problem = containerDisk.path ? pathProblem(containerDisk.path) : undefined
    return [
      ...when(!containerDisk.image, () =>
        required(`${path}.image`, `${path}.image is required; name the image of the disk`),
      ),
      ...(problem ? [invalid(path, `${path}.path ${problem}`)] : []),
    ]
  })
