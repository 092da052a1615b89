import type { Interface, Network, VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { bindingOf, interfaceNamed, isSecondaryMultus, networkNamed } from '@kubevirt-ts/vmispec'
import type { Facts, Step } from './step.ts'

/** Cards of secondary networks come, change their state and go; another definition of a network is taken over. */
export const interfaces: Step = (spec, facts) => {
  const { template } = facts
  const wanted = template.domain.devices.interfaces ?? []
  const current = (spec.domain.devices.interfaces ?? []).filter((iface) => !isDetached(iface, facts))
  const added = wanted.filter(
    (iface) =>
      interfaceNamed(spec, iface.name) === undefined && iface.state !== 'absent' && isPluggable(iface, template),
  )
  const next = [...current.map((iface) => withState(iface, template)), ...added]
  const kept = (spec.networks ?? []).filter(({ name }) => next.some((iface) => iface.name === name))
  const networks = [
    ...kept.map((network) => withDefinition(network, template)),
    ...added.flatMap(({ name }) => networkNamed(template, name) ?? []),
  ]
  return { spec: withCards(spec, next, networks) }
}

/** Bridges and passed through cards of a network that the pod can join while it runs. */
export function isPluggable(iface: Interface, spec: VirtualMachineInstanceSpec): boolean {
  const network = networkNamed(spec, iface.name)
  const binding = bindingOf(iface)
  const canCome = binding === 'bridge' || binding === 'sriov' || binding === 'plugin'
  return network !== undefined && isSecondaryMultus(network) && canCome
}

/** A card that was to go and that nobody reports any more. */
function isDetached({ name, state }: Interface, { vmi }: Facts): boolean {
  const reported = vmi.status?.interfaces
  return state === 'absent' && reported !== undefined && !reported.some((each) => each.name === name)
}

/** A card that was taken out once is not put back under the same name: a new name is a new card. */
function withState(iface: Interface, template: VirtualMachineInstanceSpec): Interface {
  const wanted = interfaceNamed(template, iface.name)
  if (wanted === undefined || iface.state === 'absent' || wanted.state === iface.state) return iface
  const { state: _before, ...rest } = iface
  if (wanted.state === 'absent' && !isPluggable(iface, template)) return iface
  return wanted.state === undefined ? rest : { ...rest, state: wanted.state }
}

function withDefinition(network: Network, template: VirtualMachineInstanceSpec): Network {
  const wanted = networkNamed(template, network.name)
  return wanted !== undefined && isSecondaryMultus(network) && isSecondaryMultus(wanted) ? wanted : network
}

function withCards(
  spec: VirtualMachineInstanceSpec,
  interfaces: Interface[],
  networks: Network[],
): VirtualMachineInstanceSpec {
  const { devices } = spec.domain
  return { ...spec, networks, domain: { ...spec.domain, devices: { ...devices, interfaces } } }
}
