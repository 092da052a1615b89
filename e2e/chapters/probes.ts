import { expect } from '@jest/globals'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, getVmi, kubectl, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { Console } from '../framework/virtctl.ts'
import { tinyVmi } from '../manifests/vms.ts'

const probes = {
  http: { httpGet: { port: 80, path: '/' } },
  tcp: { tcpSocket: { port: 80 } },
}

export function probesChapter(): void {
  const namespace = testNamespace('probes')

  scenario('probes by HTTP and TCP ask the guest: it is ready while its server runs', async () => {
    const names = Object.keys(probes)
    for (const [name, probe] of Object.entries(probes)) {
      const manifest = tinyVmi({ name, namespace, graceSeconds: 0 })
      Object.assign(manifest.spec, { readinessProbe: { ...probe, periodSeconds: 1, failureThreshold: 2 } })
      await apply(manifest)
    }
    for (const name of names) {
      await vmiInPhase(namespace, name, 'Running')
      await eventually(`${name} is ready`, async () => ensure(await isReady(name), 'it is not'))
      await using console = new Console(namespace, name)
      await console.logIn('root', 'kubevirt')
      await console.ask('killall httpd; echo sto""pped', /stopped/)
    }
    for (const name of names)
      await eventually(`${name} is ready no more`, async () => ensure(!(await isReady(name)), 'it is'))
    expect((await getVmi(namespace, 'http')).status?.phase).toBe('Running')
    await kubectl('delete', 'vmi', ...names, '-n', namespace, '--timeout=120s')
  })

  const isReady = async (name: string): Promise<boolean> =>
    (await getVmi(namespace, name)).status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ) ?? false
}
