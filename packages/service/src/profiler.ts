import type { InspectorNotification, Session } from 'node:inspector'
import type { RouteHandler } from './endpoints.ts'

type Reply = Awaited<ReturnType<RouteHandler>>

const text = (status: number, body: string): Reply => ({ status, body: `${body}\n`, contentType: 'text/plain' })

/**
 * Records where the process spends its time. `isEnabled` is the cluster's switch `clusterProfiler`: the port has no
 * other guard, so without it nothing is recorded and nothing told.
 */
export function profilerRoutes(isEnabled: () => boolean): Record<string, RouteHandler> {
  const profiler = new Profiler()
  const guarded =
    (handle: () => Promise<Reply>): RouteHandler =>
    () =>
      isEnabled()
        ? handle()
        : text(
            403,
            'profiling is off: set spec.configuration.developerConfiguration.clusterProfiler of the KubeVirt resource',
          )
  return {
    '/start-profiler': guarded(() => profiler.start()),
    '/stop-profiler': guarded(() => profiler.stop()),
    '/dump-profiler': guarded(async () => profiler.dump()),
  }
}

class Profiler {
  #session: Session | undefined
  #profile: string | undefined

  async start(): Promise<Reply> {
    if (this.#session !== undefined) return text(409, 'profiling has been started before; stop it first')
    // Loaded for this alone: the inspector costs memory that a controller can do without.
    const { Session } = process.getBuiltinModule('node:inspector')
    const session = new Session()
    session.connect()
    await post(session, 'Profiler.enable')
    await post(session, 'Profiler.start')
    this.#session = session
    this.#profile = undefined
    return text(200, 'profiling started')
  }

  async stop(): Promise<Reply> {
    const session = this.#session
    if (session === undefined) return text(409, 'profiling was not started')
    this.#session = undefined
    const { profile } = await post<{ profile: unknown }>(session, 'Profiler.stop')
    session.disconnect()
    this.#profile = JSON.stringify(profile)
    return text(200, 'profiling stopped')
  }

  /** A CPU profile as Chrome's developer tools read it. */
  dump(): Reply {
    if (this.#profile === undefined) return text(404, 'there is no profile; start and stop profiling first')
    return { status: 200, body: this.#profile, contentType: 'application/json' }
  }
}

function post<T = void>(session: Session, method: string): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  session.post(method, (error: Error | null, result?: object | InspectorNotification<object>) => {
    if (error === null) resolve(result as T)
    else reject(error)
  })
  return promise
}
