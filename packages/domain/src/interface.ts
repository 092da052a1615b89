import type { Address, Alias, Boot } from './device.ts'

export type DomainInterface = {
  $type: string
  $managed?: string
  source: {
    $bridge?: string
    $network?: string
    $dev?: string
    $mode?: string
    $type?: string
    $path?: string
    address?: Address
  }
  target?: { $dev?: string; $managed?: string }
  model?: { $type: string }
  mac?: { $address: string }
  mtu?: { $size: string | number }
  boot?: Boot
  alias?: Alias
  driver?: { $name?: string; $queues?: string | number; $iommu?: string }
  rom?: { $enabled: string }
  acpi?: { $index: string | number }
  link?: { $state: string }
  backend?: { $type: string; $logFile?: string }
  portForward?: { $proto: string; $address?: string; $dev?: string; range?: PortRange[] }[]
  address?: Address
}

export type PortRange = { $start: string | number; $end?: string | number; $to?: string | number; $exclude?: string }
