import { vcpus } from '@kubevirt-ts/vmispec'
import type { Configurator, Guest } from '../configurator.ts'

const modes = new Set(['host-model', 'host-passthrough'])

/** CPU model, features and topology, with the sockets that may be plugged in later. */
export const cpu: Configurator = (domain, guest) => {
  const { vmi } = guest
  const { model = 'host-model' } = vmi.spec.domain.cpu ?? {}
  const named = !modes.has(model)
  domain.cpu = {
    $mode: named ? 'custom' : model,
    model: named ? model : undefined,
    topology: topology(guest),
    feature: features(guest, named),
  }
  const count = vcpuCount(guest)
  domain.vcpu = { $placement: 'static', _: String(count) }
  if (growsBySockets(guest)) domain.vcpus = { vcpu: hotpluggable(guest, count) }
}

/** Virtual CPUs that the domain has room for; without hotplug those that the guest has. */
export function vcpuCount(guest: Guest): number {
  const { $sockets, $cores, $threads } = topology(guest)
  return Number($sockets) * Number($cores) * Number($threads)
}

function growsBySockets({ vmi, arch }: Guest): boolean {
  return arch.hotplugsCpus && Boolean(vmi.spec.domain.cpu?.maxSockets)
}

function topology(guest: Guest): { $sockets: string; $cores: string; $threads: string } {
  const { cores, sockets, threads, maxSockets } = guest.vmi.spec.domain.cpu ?? {}
  if (!cores && !sockets && !threads) return { $sockets: String(vcpus(guest.vmi.spec)), $cores: '1', $threads: '1' }
  const most = growsBySockets(guest) ? maxSockets : sockets
  return { $sockets: String(most || 1), $cores: String(cores || 1), $threads: String(threads || 1) }
}

function features({ vmi, arch }: Guest, named: boolean) {
  const wanted = vmi.spec.domain.cpu?.features ?? []
  const listed = wanted.map(({ name, policy }) => ({ $name: name, $policy: policy }))
  const disabled = named ? arch.disabledCpuFeatures.filter((name) => !wanted.some((one) => one.name === name)) : []
  const all = [...listed, ...disabled.map((name) => ({ $name: name, $policy: 'disable' }))]
  return all.length > 0 ? all : undefined
}

// The CPUs of the first socket are the boot processor's, which cannot be taken away.
function hotpluggable({ vmi }: Guest, count: number) {
  const { cores, threads } = vmi.spec.domain.cpu ?? {}
  const fixed = (cores || 1) * (threads || 1)
  const present = vcpus(vmi.spec)
  return Array.from({ length: count }, (_, id) => ({
    $id: String(id),
    $enabled: id < present ? 'yes' : 'no',
    $hotpluggable: id >= fixed ? 'yes' : 'no',
  }))
}
