/** Writes .oxlintrc.json from the table in walls.ts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { folderWalls, mayImport, ownedBy, pureDoors, type Package } from '../walls.ts'

type Pattern = { regex: string; message: string } | { group: string[]; message: string }
type Override = { files: string[]; rules: Record<string, unknown> }

const file = fileURLToPath(new URL('../.oxlintrc.json', import.meta.url))
const names = Object.keys(mayImport) as Package[]

const everywhere: readonly Pattern[] = [
  { regex: '^\\.{1,2}/.*\\.js$', message: 'write the .ts of the source file' },
  { regex: '^(\\.\\./)+(packages|e2e|tools)/', message: 'a relative path may not leave its package' },
]

const doorsOf = (name: Package): string[] => Object.keys(pureDoors).filter((door) => pureDoors[door]!.includes(name))

const folderOf = (name: Package): string => (name === 'e2e' ? 'e2e' : `packages/${name}`)

function packagePatterns(name: Package, forTests: boolean): Pattern[] {
  const allowed: readonly string[] = forTests ? [...mayImport[name], 'libvmi'] : mayImport[name]
  const doors = doorsOf(name)
  const scope = [
    '@kubevirt-ts/*',
    '@kubevirt-ts/*/*',
    ...allowed.flatMap((other) => [`!@kubevirt-ts/${other}`, ...(forTests ? [`!@kubevirt-ts/${other}/testing`] : [])]),
    ...doors.map((door) => `!@kubevirt-ts/${door}`),
  ]
  const permitted = [...allowed, ...doors]
  const message = `${name} may import only ${permitted.length > 0 ? permitted.join(', ') : 'nothing of the workspace'} (walls.ts)`
  const foreign = Object.entries(ownedBy)
    .filter(([, owners]) => !owners.includes(name))
    .map(([dependency, owners]): Pattern => ({
      group: [dependency, `${dependency}/*`],
      message: `${dependency} belongs to ${owners.join(', ')} (walls.ts)`,
    }))
  return [...everywhere, { group: scope, message }, ...foreign]
}

const restrict = (patterns: readonly Pattern[]) => ({ 'no-restricted-imports': ['error', { patterns }] })

const packages = names.flatMap((name): Override[] => [
  { files: [`${folderOf(name)}/**`], rules: restrict(packagePatterns(name, name === 'e2e')) },
  ...folderWalls
    .filter((wall) => wall.package === name)
    .map((wall): Override => ({
      files: [`packages/${name}/src/${wall.from}/**`],
      rules: restrict([
        ...packagePatterns(name, false),
        ...wall.to.map((to): Pattern => ({
          regex: `^(\\.\\./)+${to}/`,
          message: `${wall.from}/ may not import ${to}/ (walls.ts)`,
        })),
      ]),
    })),
  {
    files: [`${folderOf(name)}/**/*.test.ts`, `packages/${name}/test/**`, `packages/${name}/src/testing/**`],
    rules: restrict(packagePatterns(name, true)),
  },
])

const config = {
  $schema: './node_modules/oxlint/configuration_schema.json',
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node'],
  categories: { correctness: 'error' },
  ignorePatterns: ['**/generated/**', '**/dist/**'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'import/no-cycle': 'error',
    ...restrict(everywhere),
  },
  overrides: packages,
}

const text = `${JSON.stringify(config, null, 2)}\n`
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) process.exit(1)
} else {
  writeFileSync(file, text)
}
