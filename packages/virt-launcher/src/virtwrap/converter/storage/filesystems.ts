import type { Configurator } from '../configurator.ts'

/** Folders that the guest mounts by virtiofs; the daemon behind each runs in a container of its own. */
export const filesystems: Configurator = (domain, { vmi, context }) => {
  const listed = (vmi.spec.domain.devices.filesystems ?? []).filter(({ virtiofs }) => virtiofs)
  if (listed.length === 0) return
  domain.devices.filesystem = listed.map(({ name }) => ({
    $type: 'mount',
    $accessMode: 'passthrough',
    source: { $dir: '', $socket: `${context.paths.virtiofs}/${name}.sock` },
    target: { $dir: name },
    driver: { $type: 'virtiofs', $queue: '1024' },
  }))
}
