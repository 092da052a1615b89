import {
  createRegistry,
  serveEndpoints,
  VirtError,
  watchCertificate,
  type CertificateSource,
  type Logger,
  type RunningService,
} from '@kubevirt-ts/service'
import type { Options } from './options.ts'

/**
 * Joins the scheduler's parts. No profile can be active yet, so no pod is looked at: pods whose schedulerName names
 * this scheduler stay Pending, and the log says so.
 */
export async function start(options: Options, log: Logger): Promise<RunningService> {
  const certificate = await certificateOf(options, log)
  const endpoints = await serveEndpoints({
    host: options.bindAddress,
    port: options.securePort,
    log,
    metrics: createRegistry('stickyvm-scheduler'),
    routes: { '/livez': () => ({ status: 200, body: 'ok' }) },
    ...(certificate === undefined ? {} : { certificate }),
  })
  log.info({ port: endpoints.port, tls: certificate !== undefined }, 'serving health and metrics')
  log.warn({ config: options.config }, 'no profile is active yet: this version schedules no pod')
  return {
    stop: async () => {
      await endpoints.close()
      certificate?.close()
    },
  }
}

async function certificateOf({ certFile, keyFile }: Options, log: Logger): Promise<CertificateSource | undefined> {
  if (certFile === '' && keyFile === '') return undefined
  if (certFile !== '' && keyFile !== '') return watchCertificate({ certFile, keyFile, log })
  throw new VirtError('IncompleteCertificate', '--tls-cert-file and --tls-private-key-file must be given together')
}
