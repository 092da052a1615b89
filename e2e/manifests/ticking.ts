import { tinyVm } from './vms.ts'

/** Counts aloud about each 10 ms for as long as it lives; every line says which boot it belongs to. */
const script = `#!/bin/sh
boot=$(cut -c1-8 /proc/sys/kernel/random/boot_id)
(n=0; while :; do n=$((n+1)); echo "tick $boot $n."; usleep 10000; done) &
`

/** Also writes to its third disk for as long as it lives. */
const writing = `(while :; do date +%s | dd of=/dev/vdc conv=notrunc,fsync 2>/dev/null; sleep 2; done) &
`

type Options = Parameters<typeof tinyVm>[0] & {
  readonly evictionStrategy?: string
  /** A claim that the guest writes to. */
  readonly claim?: string
}

/** The tiny guest, whose console log shows whether it runs, where, and when it stood still. */
export function tickingVm({ evictionStrategy, claim, ...options }: Options) {
  const vm = tinyVm(options)
  const { template } = vm.spec
  const { domain, volumes } = template.spec
  const names = ['seed', ...(claim === undefined ? [] : ['written'])]
  const disks = [...domain.devices.disks, ...names.map((name) => ({ name, disk: { bus: 'virtio' } }))]
  const userData = claim === undefined ? script : script + writing
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
