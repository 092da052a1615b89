import type { Address, Alias, Boot } from './device.ts'
import type { DomainDisk } from './disk.ts'
import type { DomainInterface } from './interface.ts'

/** A domain's devices. Each kind is a list, but for those that a domain has once. */
export type Devices = {
  emulator?: string
  interface?: DomainInterface[]
  channel?: Channel[]
  hostdev?: HostDevice[]
  controller?: Controller[]
  video?: Video[]
  graphics?: Graphics[]
  memballoon?: MemBalloon
  disk?: DomainDisk[]
  input?: DomainInput[]
  serial?: Serial[]
  console?: Console[]
  watchdog?: DomainWatchdog[]
  rng?: DomainRng[]
  filesystem?: DomainFilesystem[]
  redirdev?: RedirectedDevice[]
  sound?: SoundCard[]
  tpm?: DomainTpm[]
  vsock?: Vsock
  memory?: MemoryDevice[]
  panic?: Panic[]
  audio?: { $id: string; $type: string }[]
}

export type ControllerDriver = { $iommu?: string; $iothread?: string | number; $queues?: string | number }

export type Controller = {
  $type: string
  $index?: string | number
  $model?: string
  driver?: ControllerDriver
  alias?: Alias
  address?: Address
  pcihole64?: { $unit: string; _: string | number }
  target?: { $hotplug?: string; $chassis?: string; $port?: string }
}

export type Channel = {
  $type: string
  source?: { $mode?: string; $path?: string }
  target: { $name?: string; $type?: string; $address?: string; $port?: string | number; $state?: string }
  alias?: Alias
}

export type Serial = {
  $type: string
  target?: { $port?: string | number; $type?: string }
  source?: { $mode?: string; $path?: string }
  log?: { $file: string; $append?: string }
  alias?: Alias
}

export type Console = { $type: string; target?: { $type?: string; $port?: string | number }; alias?: Alias }

export type Video = {
  model: {
    $type: string
    $heads?: string | number
    $ram?: string | number
    $vram?: string | number
    $vgamem?: string | number
  }
  driver?: { $iommu?: string }
}

export type Graphics = {
  $type: string
  $port?: string | number
  listen?: { $type: string; $socket?: string; $address?: string }
}

export type MemBalloon = {
  $model: string
  $freePageReporting?: string
  stats?: { $period: string | number }
  driver?: { $iommu?: string }
  address?: Address
}

export type DomainInput = { $type: string; $bus?: string; $model?: string; alias?: Alias; address?: Address }

export type DomainWatchdog = { $model: string; $action?: string; alias?: Alias; address?: Address }

export type DomainRng = {
  $model: string
  backend: { $model: string; _?: string }
  rate?: { $period?: string | number; $bytes?: string | number }
  driver?: { $iommu?: string }
  address?: Address
}

export type DomainFilesystem = {
  $type: string
  $accessMode?: string
  source: { $dir?: string; $socket?: string }
  target: { $dir: string }
  driver?: { $type: string; $queue?: string | number }
  address?: Address
}

export type HostDevice = {
  $type: string
  $managed?: string
  $mode?: string
  $model?: string
  $display?: string
  $ramfb?: string
  source: { address?: Address }
  alias?: Alias
  boot?: Boot
  address?: Address
}

export type RedirectedDevice = { $type: string; $bus: string; source: { $mode?: string; $path?: string } }

export type SoundCard = { $model: string; alias?: Alias; address?: Address }

export type DomainTpm = { $model: string; backend: { $type: string; $version?: string; $persistent_state?: string } }

export type Vsock = { $model?: string; cid: { $auto?: string; $address?: string | number }; address?: Address }

export type MemoryDevice = {
  $model: string
  target: {
    size: { $unit: string; _: string | number }
    requested?: { $unit: string; _: string | number }
    current?: { $unit: string; _: string | number }
    block?: { $unit: string; _: string | number }
    node?: string | number
    address?: { $base: string }
  }
  alias?: Alias
  address?: Address
}

export type Panic = { $model?: string }
