import { fileURLToPath } from 'node:url'

/** What the set-up tells the tests: how to reach the cluster and the programs that a user would type. */
export type Tools = {
  readonly cluster: string
  readonly kubeconfig: string
  readonly kubectl: string
  readonly helm: string
}

const variable = 'KUBEVIRT_TS_E2E'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export function publishTools(tools: Tools): void {
  process.env[variable] = JSON.stringify(tools)
  process.env['KUBECONFIG'] = tools.kubeconfig
}

export function tools(): Tools {
  const text = process.env[variable]
  if (!text) throw new Error(`${variable} is not set: run these tests by npm test or npm run e2e`)
  return JSON.parse(text) as Tools
}
