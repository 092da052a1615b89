import type { Network } from '@kubevirt-ts/api'
import { duplicate, invalid, notFound, required, when } from '../cause.ts'
import { repeated } from '../names.ts'
import type { Rule } from '../rule.ts'

const kindsOf = ({ pod, multus, resourceClaim }: Network) => [pod, multus, resourceClaim].filter(Boolean).length

export const networkKinds: Rule = ({ spec, field }) =>
  (spec.networks ?? []).flatMap((network, index) => {
    const path = `${field}.networks[${index}]`
    if (kindsOf(network) === 0) return [required(path, 'should have a network type: pod, multus or resourceClaim')]
    if (kindsOf(network) > 1) return [required(path, 'should have only one network type')]
    return when(Boolean(network.multus) && !network.multus!.networkName, () =>
      required(path, 'CNI delegating plugin must have a networkName; set multus.networkName'),
    )
  })

/** One network is the pod's own: `pod`, or the multus network marked as default. */
export const defaultNetwork: Rule = ({ spec, field }) => {
  const networks = spec.networks ?? []
  const pods = networks.filter(({ pod }) => pod).length
  const defaults = networks.filter(({ multus }) => multus?.default).length
  if (pods > 1) return [duplicate(`${field}.networks`, 'more than one interface is connected to a pod network')]
  if (defaults > 1) return [invalid(`${field}.networks`, 'Multus CNI should only have one default network')]
  return when(pods === 1 && defaults === 1, () =>
    invalid(
      `${field}.networks`,
      'Pod network cannot be defined when Multus default network is defined; remove one of them',
    ),
  )
}

/** Networks that are devices of a claim: named claims that the VMI has, each device once, passed through to the guest. */
export const claimedNetworks: Rule = ({ spec, field, settings }) => {
  const networks = spec.networks ?? []
  const claimed = networks.filter(({ resourceClaim }) => resourceClaim)
  if (claimed.length === 0) return []
  if (!settings.isEnabled('NetworkDevicesWithDRA')) {
    return [
      invalid(
        `${field}.networks`,
        'networks of claims are not allowed: the feature gate NetworkDevicesWithDRA is not enabled in the KubeVirt resource',
      ),
    ]
  }
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name))
  const sriov = new Set((spec.domain.devices.interfaces ?? []).filter((each) => each.sriov).map(({ name }) => name))
  return [
    ...networks.flatMap(({ resourceClaim }, index) => {
      if (!resourceClaim) return []
      const path = `${field}.networks[${index}].resourceClaim`
      const { claimName, requestName } = resourceClaim
      return [
        ...when(!claimName, () => required(`${path}.claimName`, 'claimName is required for DRA network')),
        ...when(!requestName, () => required(`${path}.requestName`, 'requestName is required for DRA network')),
        ...when(Boolean(claimName) && !claims.has(claimName!), () =>
          notFound(`${path}.claimName`, `${claimName} is not among ${field}.resourceClaims; add it there`),
        ),
      ]
    }),
    ...repeated(claimed, ({ resourceClaim: { claimName, requestName } = {} }) =>
      claimName && requestName ? `${claimName}/${requestName}` : undefined,
    ).map((index) =>
      duplicate(
        `${field}.networks`,
        `network ${claimed[index]!.name} takes a device that another network has; ask for another request`,
      ),
    ),
    ...claimed
      .filter(({ name }) => !sriov.has(name))
      .map(({ name }) =>
        invalid(`${field}.domain.devices.interfaces`, `network ${name} of a claim needs an interface with sriov`),
      ),
  ]
}

/** Networks and interfaces are pairs of the same name. */
export const networkPairs: Rule = ({ spec, field }) => {
  const networks = spec.networks ?? []
  const interfaces = spec.domain.devices.interfaces ?? []
  const networkNames = new Set(networks.map(({ name }) => name))
  const interfaceNames = new Set(interfaces.map(({ name }) => name))
  return [
    ...repeated(networks, ({ name }) => name).map((index) =>
      duplicate(
        `${field}.networks[${index}].name`,
        `Network with name "${networks[index]!.name}" already exists, every network must have a unique name`,
      ),
    ),
    ...repeated(interfaces, ({ name }) => name).map((index) =>
      duplicate(
        `${field}.domain.devices.interfaces[${index}].name`,
        'Only one interface can be connected to one specific network',
      ),
    ),
    ...interfaces.flatMap(({ name }, index) => {
      const path = `${field}.domain.devices.interfaces[${index}].name`
      return when(!networkNames.has(name), () =>
        invalid(path, `${path} '${name}' not found: add a network of this name to ${field}.networks`),
      )
    }),
    ...networks.flatMap(({ name }, index) => {
      const path = `${field}.networks[${index}].name`
      return when(!interfaceNames.has(name), () =>
        required(
          path,
          `${path} '${name}' not found: add an interface of this name to ${field}.domain.devices.interfaces`,
        ),
      )
    }),
  ]
}
