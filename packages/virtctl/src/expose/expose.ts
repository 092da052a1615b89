import { services, virtualMachineInstanceReplicaSets, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { KubeObject, Service, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { vmiLabelId } from '@kubevirt-ts/vmispec'
import { CommandError } from '../command.ts'
import type { Cluster, CommandDefinition, FlagValues } from '../command.ts'
import { resourceOf } from '../client/kind.ts'
import { neededText, repeated, textOf, textsOf, wholeNumber } from '../flags.ts'

/** What a service is made for. */
interface Exposed {
  readonly owner: KubeObject
  readonly selector: Readonly<Record<string, string>>
  readonly spec: VirtualMachineInstanceSpec | undefined
}

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol: string
  readonly targetPort?: number | string
}

const setWords = ['vmirs', 'vmirss', 'virtualmachineinstancereplicaset', 'virtualmachineinstancereplicasets']
const types = ['ClusterIP', 'NodePort', 'LoadBalancer']
const protocols = ['TCP', 'UDP', 'SCTP']

export const expose: CommandDefinition = {
  name: 'expose',
  arguments: [
    ['kind', 'vm, vmi or vmirs'],
    ['name', 'name of the object'],
  ],
  summary: 'Expose a virtual machine, an instance or a replica set as a new service.',
  examples: [
    ["Make SSH of 'myvm' reachable in the cluster:", 'expose vm myvm --port=22 --name=myvm-ssh'],
    ['From outside, on a port of each node:', 'expose vm myvm --port=22 --name=myvm-ssh --type=NodePort'],
  ],
  flags: [
    { flags: '--name <name>', help: 'name of the service; required' },
    {
      flags: '--port <port>',
      help: 'port of the service; all ports of the machine’s pod network unless told',
      default: 0,
      parse: wholeNumber('--port'),
    },
    { flags: '--target-port <port>', help: 'port of the machine, a number or a name; that of the service unless told' },
    { flags: '--protocol <protocol>', help: protocols.join(', '), default: 'TCP' },
    { flags: '--type <type>', help: types.join(', '), default: 'ClusterIP' },
    { flags: '--port-name <name>', help: 'name of the port' },
    { flags: '--cluster-ip <address>', help: 'address of the service in the cluster; None for a headless service' },
    { flags: '--external-ip <address>', help: 'another address that the service is reached by', parse: repeated },
    { flags: '--ip-family <family>', help: 'IPv4, IPv6, or both after a comma' },
    { flags: '--ip-family-policy <policy>', help: 'SingleStack, PreferDualStack or RequireDualStack' },
  ],
  run: async ({ cluster }, [kind = '', name = ''], flags) => {
    neededText(flags, 'name', 'name')
    const connected = await cluster()
    const exposed = await find(connected, kind, name)
    const service = serviceFor(exposed, flags, connected.namespace)
    await connected.client.create(services, service).catch((error: Error) => {
      throw new CommandError(`service creation failed: ${error.message}`)
    })
    return `Service ${service.metadata.name} successfully created for ${kind} ${name}`
  },
}

async function find({ client, namespace }: Cluster, kind: string, name: string): Promise<Exposed> {
  const reference = { namespace, name }
  const failed = (error: Error): never => {
    throw new CommandError(`error fetching ${kind} ${name}: ${error.message}`)
  }
  const ofGuest = { 'vmi.kubevirt.io/id': vmiLabelId(name) }
  if (setWords.includes(kind.toLowerCase())) {
    const owner = await client.get(virtualMachineInstanceReplicaSets, reference).catch(failed)
    const { matchLabels, matchExpressions = [] } = owner.spec?.selector ?? {}
    if (matchExpressions.length > 0 || !matchLabels) {
      throw new CommandError(`${name} selects by expressions, which a service can not: give its selector matchLabels`)
    }
    return { owner: owner as KubeObject, selector: matchLabels, spec: owner.spec?.template?.spec }
  }
  const resource = resourceOf(kind)
  if (resource === 'virtualmachineinstances') {
    const owner = await client.get(virtualMachineInstances, reference).catch(failed)
    return { owner, selector: ofGuest, spec: owner.spec }
  }
  if (resource !== 'virtualmachines') throw new CommandError(`unsupported resource type: ${kind}; use vm, vmi or vmirs`)
  const owner = await client.get(virtualMachines, reference).catch(failed)
  return { owner, selector: ofGuest, spec: owner.spec.template?.spec }
}

/** The service that leads to the guests of what is exposed, and goes when that goes. */
export function serviceFor({ owner, selector, spec }: Exposed, flags: FlagValues, namespace: string): Service {
  const type = oneOf(types, textOf(flags, 'type'), '--type')
  const [clusterIP, policy, family] = ['clusterIp', 'ipFamilyPolicy', 'ipFamily'].map((name) => textOf(flags, name))
  const externalIPs = textsOf(flags, 'externalIp')
  const { apiVersion = 'kubevirt.io/v1', kind = '', metadata } = owner
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: neededText(flags, 'name', 'name'),
      namespace,
      ownerReferences: [
        { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: false },
      ],
    },
    spec: {
      type,
      selector,
      ports: portsFor(spec, flags),
      ...(clusterIP && { clusterIP }),
      ...(externalIPs.length > 0 && { externalIPs }),
      ...(policy && { ipFamilyPolicy: policy }),
      ...(family && { ipFamilies: family.split(',') }),
    },
  } as unknown as Service
}

function portsFor(spec: VirtualMachineInstanceSpec | undefined, flags: FlagValues): ServicePort[] {
  const port = flags['port'] as number
  const protocol = oneOf(protocols, textOf(flags, 'protocol')?.toUpperCase(), '--protocol')
  const target = textOf(flags, 'targetPort')
  const name = textOf(flags, 'portName')
  if (port > 0) {
    const targetPort = target === undefined ? port : /^\d+$/.test(target) ? Number(target) : target
    return [{ ...(name && { name }), port, protocol, targetPort }]
  }
  const ports = podPorts(spec)
  if (ports.length > 0) return ports
  throw new CommandError(
    "couldn't find port via --port flag or introspection: the machine names no ports, so give --port",
  )
}

/** The ports that the machine names on the pod network; each needs a name of its own in a service. */
function podPorts(spec: VirtualMachineInstanceSpec | undefined): ServicePort[] {
  const network = spec?.networks?.find(({ pod }) => pod)?.name
  const ports = spec?.domain.devices.interfaces?.find(({ name }) => name === network)?.ports ?? []
  return ports.map(({ name, port, protocol = 'TCP' }, index) => ({ name: name ?? `port-${index + 1}`, port, protocol }))
}

function oneOf(words: readonly string[], word: string | undefined, flag: string): string {
  if (word !== undefined && words.includes(word)) return word
  throw new CommandError(`${flag}: ${word} is not known; use ${words.join(', ')}`)
}
