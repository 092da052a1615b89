import type { Address, Alias, Boot, Present } from './device.ts'

export type DomainDisk = {
  $type: string
  $device: string
  $model?: string
  $snapshot?: string
  source: DiskSource
  target: { $dev: string; $bus: string; $tray?: string }
  driver?: DiskDriver
  serial?: string
  readonly?: Present
  shareable?: Present
  transient?: Present
  alias?: Alias
  backingStore?: { $type?: string; format?: { $type: string }; source?: DiskSource }
  boot?: Boot
  address?: Address
  blockio?: {
    $logical_block_size?: string | number
    $physical_block_size?: string | number
    $discard_granularity?: string | number
  }
  capacity?: string | number
}

export type DiskSource = {
  $file?: string
  $dev?: string
  $name?: string
  $startupPolicy?: string
  reservations?: { $managed: string; $migration?: string; source?: { $type: string; $path: string; $mode: string } }
  dataStore?: { $type: string; format: { $type: string }; source: DiskSource }
}

export type DiskDriver = {
  $cache?: string
  $error_policy?: string
  $io?: string
  $name: string
  $type: string
  $iothread?: string | number
  $queues?: string | number
  $discard?: string
  $iommu?: string
  iothreads?: { iothread: { $id: string | number }[] }
}
