import { fileURLToPath } from 'node:url'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))

// Node strips the types itself, so no transform runs and a test sees exactly what production runs.
const common = { testEnvironment: 'node', extensionsToTreatAsEsm: ['.ts'], transform: {} }

export default {
  // Many tests start real programs; on a busy machine that takes longer than jest's 5 s, and a hang still ends.
  // Of all of them: in a project's own part jest takes no notice of it.
  testTimeout: 60_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      rootDir: path('.'),
      testMatch: [path('tools/*.test.ts'), path('packages/*/{src,test}/**/*.test.ts'), path('e2e/framework/*.test.ts')],
      globalSetup: path('tools/unit-setup.ts'),
    },
    {
      ...common,
      displayName: 'e2e',
      rootDir: path('e2e'),
      testMatch: ['<rootDir>/suite.test.ts'],
      globalSetup: '<rootDir>/framework/global-setup.ts',
      globalTeardown: '<rootDir>/framework/global-teardown.ts',
    },
  ],
  reporters: ['default', '<rootDir>/tools/count-reporter.mjs'],
  workerIdleMemoryLimit: '300MB',
  coverageProvider: 'v8',
  collectCoverageFrom: ['packages/*/src/**/*.ts'],
}
