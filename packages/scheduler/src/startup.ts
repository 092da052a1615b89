import { createClient, loadConfig, type KubeClient } from '@kubevirt-ts/kubecli'
import {
  selfSigned,
  staticCertificate,
  VirtError,
  watchCertificate,
  type CertificateSource,
  type Logger,
} from '@kubevirt-ts/service'
import { readFile } from 'node:fs/promises'
import type { Options } from './options.ts'
import { defaultConfiguration, readConfiguration, type SchedulerConfiguration } from './profiles/configuration.ts'

export const name = 'stickyvm-scheduler'

/** The file of --config, or what holds without one. */
export async function configurationOf({ config }: Options, known: readonly string[]): Promise<SchedulerConfiguration> {
  if (config === '') return defaultConfiguration(known)
  const text = await readFile(config, 'utf8').catch((cause: unknown) => {
    throw new VirtError('InvalidConfiguration', `--config ${config} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  })
  return readConfiguration(config, text, known)
}

/** Nothing is written while another replica holds the lease. */
export async function clientOf(
  { kubeconfig }: Options,
  { clientConnection }: SchedulerConfiguration,
  leadership: { readonly isHeld: () => boolean },
): Promise<KubeClient> {
  const file = kubeconfig || clientConnection.kubeconfig
  const config = await loadConfig(file ? { kubeconfig: file } : {})
  return createClient(config, {
    userAgent: name,
    // Below zero lifts the limit, as for kube-scheduler.
    ...(clientConnection.qps < 0 ? {} : { qps: clientConnection.qps, burst: clientConnection.burst }),
    beforeWrite: () => {
      if (!leadership.isHeld()) throw new VirtError('LeadershipLost', 'the lease was lost, another replica schedules')
    },
  })
}

/**
 * To serve with: the files given, or, as kube-scheduler does, one that is made now and kept in memory. Callers who must
 * know whom they talk to need files.
 */
export async function certificateOf(
  { certFile, keyFile, clientCaFile }: Options,
  log: Logger,
): Promise<CertificateSource> {
  if (certFile === '' && keyFile === '') {
    log.info('no --tls-cert-file: serving with a self-signed certificate')
    return staticCertificate(selfSigned(name))
  }
  if (certFile !== '' && keyFile !== '')
    return watchCertificate({ certFile, keyFile, log, ...(clientCaFile === '' ? {} : { caFile: clientCaFile }) })
  throw new VirtError('IncompleteCertificate', '--tls-cert-file and --tls-private-key-file must be given together')
}
