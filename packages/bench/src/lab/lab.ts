import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namespaces } from '@kubevirt-ts/api'
import { controlPlaneAlone, stateRoot } from '@kubevirt-ts/dev-cluster'
import { createClient, loadConfig, type KubeClient } from '@kubevirt-ts/kubecli'
import { endChild, startChild, type Child, type Program } from './child.ts'
import { createNodes, kwok } from './fake-nodes.ts'
import { kwokProgram } from './kwok-program.ts'
import { labName, removeLeftovers } from './leftovers.ts'
import { freePorts } from './ports.ts'
import { installChart, namespace, virtApi, virtController, type Place } from './product.ts'
import { admits } from './admits.ts'
import { collects } from './collects.ts'

export type LabOptions = {
  readonly nodes: number
  /** What fake kubelets take for a pod's start, and fake virt-handlers for a guest's. */
  readonly startMs: number
  readonly guestMs: number
  /** What both take for an end. */
  readonly stopMs: number
  readonly say: (line: string) => void
}

/** A running control plane with the product and fake nodes. */
export type Lab = {
  readonly client: KubeClient
  readonly kubeconfig: string
  readonly auditLog: string
  /** Where scenarios make their objects. */
  readonly namespace: string
  readonly ports: { readonly controller: number; readonly api: number }
  readonly children: ReadonlyMap<string, Child>
  /** Ends a program at once, as a crash would. */
  kill(name: string): Promise<void>
  /** Starts a killed one again. */
  start(name: string, env?: Readonly<Record<string, string>>): Promise<void>
  /** Ends virt-controller's leadership, as its last act would if it were not killed. */
  releaseLease(): Promise<void>
}

const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/virt-controller`

export const scenarioNamespace = 'bench'

/** Runs what is given with a lab of its own, and ends every program of it afterwards, whatever happens. */
export async function withLab<T>(options: LabOptions, use: (lab: Lab) => Promise<T>): Promise<T> {
  await removeLeftovers()
  const children = new Map<string, Child>()
  const end = async (): Promise<void> => {
    // Backwards, so that nobody writes error after error about a server that is gone.
    for (const child of [...children.values()].toReversed()) await endChild(child, 'SIGKILL')
    await removeLeftoversOf(process.pid)
  }
  const interrupted = (signal: NodeJS.Signals) =>
    void end().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  // A program that ends while others start or while the lab is used ends the lab, or it would wait for ever.
  const { promise: lost, reject: lose } = Promise.withResolvers<never>()
  try {
    return await Promise.race([startLab(options, children, lose).then(use), lost])
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
    await end()
  }
}

const removeLeftoversOf = (pid: number): Promise<void> =>
  rm(join(stateRoot(), labName(pid)), { recursive: true, force: true })

async function startLab(
  options: LabOptions,
  children: Map<string, Child>,
  lose: (reason: unknown) => void,
): Promise<Lab> {
  const [apiServer = 0, etcd = 0, etcdPeer = 0, controllerManager = 0, scheduler = 0, controller = 0, api = 0] =
    await freePorts(7)
  const ports = { apiServer, etcd, etcdPeer, controllerManager, scheduler }
  const plane = await controlPlaneAlone({ name: labName(process.pid), ports })
  const logs = join(plane.state, 'logs')
  const programs = new Map<string, Program>()
  const launch = async (program: Program): Promise<void> => {
    const child = await startChild(program, logs)
    child.lost.catch(lose)
    children.set(program.name, child)
  }
  const start = async (program: Program): Promise<void> => {
    options.say(`starting ${program.name} …`)
    programs.set(program.name, program)
    await launch(program)
  }
  const kwokFile = await kwokProgram(join(logs, 'prepare.log'))
  for (const program of plane.programs) await start(program)

  const client = createClient(await loadConfig({ kubeconfig: plane.kubeconfig }), {
    userAgent: 'kubevirt-ts-bench',
    // In a burst a creation may wait for all others.
    timeoutMs: 300_000,
  })
  const place: Place = { state: plane.state, kubeconfig: plane.kubeconfig, client }
  await start(await kwok(kwokFile, plane.state, plane.kubeconfig, options))
  await createNodes(client, options.nodes)
  await installChart(place, api)
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: scenarioNamespace } })
  await start(await virtController(place, controller))
  await start(await virtApi(place, api))
  await start(fakeHandler(place, options))
  await admits(client, scenarioNamespace)
  await collects(client, scenarioNamespace)
  return {
    client,
    kubeconfig: plane.kubeconfig,
    auditLog: plane.auditLog,
    namespace: scenarioNamespace,
    ports: { controller, api },
    children,
    kill: (name) => endChild(children.get(name)!, 'SIGKILL'),
    start: async (name, env = {}) => {
      const program = programs.get(name)!
      await launch({ ...program, env: { ...program.env, ...env } })
    },
    releaseLease: async () => {
      await client.request({ method: 'DELETE', path: leasePath })
    },
  }
}

function fakeHandler({ kubeconfig }: Place, { nodes, guestMs, stopMs }: LabOptions): Program {
  const file = join(import.meta.dirname, '..', 'handler', 'main.ts')
  return {
    name: 'fake-handler',
    argv: [
      process.execPath,
      '--no-warnings',
      file,
      '--kubeconfig',
      kubeconfig,
      '--nodes',
      String(nodes),
      '--start-ms',
      String(guestMs),
      '--stop-ms',
      String(stopMs),
    ],
    ready: () => Promise.resolve(true),
  }
}
