import { tinyVm } from './vms.ts'

/** Counts aloud about each 10 ms for as long as it lives; every line says which boot it belongs to. */
const counting = (before: string): string => `#!/bin/sh
boot=$(cut -c1-8 /proc/sys/kernel/random/boot_id)
${before}
(n=0; while :; do n=$((n+1)); echo "tick $boot $n."; usleep 10000; done) &
`

/** Writes to the third disk for as long as the guest lives. */
const writing = '(while :; do date +%s | dd of=/dev/vdc conv=notrunc,fsync 2>/dev/null; sleep 2; done) &'

type Options = Parameters<typeof tinyVm>[0] & {
  readonly evictionStrategy?: string
  /** A claim that the guest writes to. */
  readonly claim?: string
  /** What it does before it counts: a line for its shell. */
  readonly before?: string
}

/** The tiny guest, whose console log shows whether it runs, where, and when it stood still. */
export function tickingVm({ evictionStrategy, claim, before, ...options }: Options) {
  const vm = tinyVm(options)
  const { template } = vm.spec
  const { domain, volumes } = template.spec
  const names = ['seed', ...(claim === undefined ? [] : ['written'])]
  const disks = [...domain.devices.disks, ...names.map((name) => ({ name, disk: { bus: 'virtio' } }))]
  const userData = counting(before ?? (claim === undefined ? '' : writing))
  const spec = {
    ...template.spec,
    ...(evictionStrategy === undefined ? {} : { evictionStrategy }),
    domain: { ...domain, devices: { ...domain.devices, disks } },
    volumes: [
      ...volumes,
      { name: 'seed', cloudInitNoCloud: { userData } },
      ...(claim === undefined ? [] : [{ name: 'written', persistentVolumeClaim: { claimName: claim } }]),
    ],
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}
