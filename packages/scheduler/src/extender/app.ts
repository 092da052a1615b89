import { EventRecorder, type Informer } from '@kubevirt-ts/controller'
import { createRegistry, VirtError, type Logger, type RunningService } from '@kubevirt-ts/service'
import type { KubeObject } from '@kubevirt-ts/api'
import type { PluginServices } from '../framework/registry.ts'
import { WaitingPods } from '../framework/waiting-pods.ts'
import { createInformers } from '../loop/informers.ts'
import { surroundingsOf } from '../loop/surroundings.ts'
import type { Options } from '../options.ts'
import { defaultBinder } from '../plugins/default-binder/default-binder.ts'
import { plugins } from '../plugins/index.ts'
import { stickyVm } from '../plugins/sticky-vm/sticky-vm.ts'
import type { SchedulerConfiguration } from '../profiles/configuration.ts'
import type { Field } from '../profiles/field.ts'
import { serveSecurely } from '../server/endpoints.ts'
import { certificateOf, clientOf, configurationOf, name } from '../startup.ts'
import { serveExtender } from './serve.ts'
import { stickyAnswers } from './sticky-answers.ts'

/** StickyVM for clusters that keep their own scheduler. Every replica answers; none schedules. */
export async function startExtender(options: Options, log: Logger, signal: AbortSignal): Promise<RunningService> {
  const configuration = await configurationOf(
    options,
    plugins.map((plugin) => plugin.name),
  )
  const client = await clientOf(options, configuration, { isHeld: () => true })
  if (options.certFile === '') {
    throw new VirtError(
      'MissingCertificate',
      '--extender needs --tls-cert-file and --tls-private-key-file: kube-scheduler must know whom it asks',
    )
  }
  const certificate = await certificateOf(options, log)
  const informers = createInformers(client, log)
  const { nodes, virtualMachines, instances, claims, volumes, storageClasses } = informers
  const needed = [nodes, virtualMachines, instances, claims, volumes, storageClasses] as const
  for (const informer of needed as readonly Pick<Informer<KubeObject>, 'start'>[]) informer.start(signal)
  const events = new EventRecorder({ client, component: name, log })
  const services: PluginServices = {
    ...informers,
    client,
    log,
    events,
    waitingPods: new WaitingPods(),
    nominatedTo: () => [],
    framework: () => {
      throw new Error('an extender has no profile')
    },
  }
  const sticky = stickyVm.create(argumentsOf(configuration), services)
  const binder = defaultBinder.create(undefined, services)
  // Nobody is answered from empty caches: a VM would seem to have no home.
  await Promise.all(needed.map(({ synced }) => synced))
  sticky.start?.(signal)
  const answers = stickyAnswers({ sticky, binder, client, nodes, volumes: surroundingsOf(informers).volumes })
  const { bindAddress: host } = options
  const extender = await serveExtender({ host, port: options.extenderPort, certificate, answers, log })
  const registry = createRegistry(name)
  const isReady = () => true
  const endpoints = await serveSecurely({ options, configuration, client, registry, certificate, isReady, log })
  log.info({ port: extender.port }, 'serving as an extender')
  return {
    stop: async () => {
      await Promise.all([extender.close(), endpoints.close()])
      await events.flush()
      certificate.close()
      await client.close()
    },
  }
}

/** Those of the first profile that configures StickyVM. */
function argumentsOf({ profiles }: SchedulerConfiguration): Field | undefined {
  return profiles.map(({ pluginConfig }) => pluginConfig.get('StickyVM')).find((field) => field !== undefined)
}
