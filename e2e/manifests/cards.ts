import { tinyVm } from './vms.ts'

/** The tiny guest with its card on the pod network written out, so that others can be added. */
export function cardsVm(options: Parameters<typeof tinyVm>[0]) {
  const vm = tinyVm(options)
  const { template } = vm.spec
  const devices = { ...template.spec.domain.devices, interfaces: [{ name: 'default', masquerade: {} }] }
  const spec = {
    ...template.spec,
    domain: { ...template.spec.domain, devices },
    networks: [{ name: 'default', pod: {} }],
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** Changes of a VM that add a card on a secondary network. */
export const addCard = (name: string, networkName: string) => [
  { op: 'add', path: '/spec/template/spec/domain/devices/interfaces/-', value: { name, bridge: {} } },
  { op: 'add', path: '/spec/template/spec/networks/-', value: { name, multus: { networkName } } },
]

/** A change of a VM that sets the state of its second card. */
export const setCardState = (state: 'up' | 'down' | 'absent') => [
  { op: 'add', path: '/spec/template/spec/domain/devices/interfaces/1/state', value: state },
]

type Card = { readonly name: string; readonly networkName: string; readonly userData: string }

/** The guest with a card on a secondary network from its start, and a script that makes use of it. */
export function secondaryCardVm(card: Card, options: Parameters<typeof tinyVm>[0]) {
  const vm = cardsVm(options)
  const { template } = vm.spec
  const { domain, networks, volumes } = template.spec
  const { name, networkName, userData } = card
  const disks = [...domain.devices.disks, { name: 'seed', disk: { bus: 'virtio' } }]
  const interfaces = [...domain.devices.interfaces, { name, bridge: {} }]
  const spec = {
    ...template.spec,
    domain: { ...domain, devices: { ...domain.devices, disks, interfaces } },
    networks: [...networks, { name, multus: { networkName } }],
    volumes: [...volumes, { name: 'seed', cloudInitNoCloud: { userData } }],
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}
