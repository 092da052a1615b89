import { virtualMachineInstances } from '@kubevirt-ts/api'
import { Informer } from '@kubevirt-ts/controller'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import { createLogger } from '@kubevirt-ts/service'

// An informer as the services have it; a line for each event, as kubectl writes its own.
const client = createClient(await loadConfig({ kubeconfig: process.argv[2] }), { userAgent: 'bench-intake' })
const log = createLogger({ component: 'intake', verbosity: 0 })
const informer = new Informer({ client, resource: virtualMachineInstances, log })
const told = (): void => void process.stdout.write('.\n')
informer.on({ added: told, updated: told, deleted: told })
informer.start(new AbortController().signal)
