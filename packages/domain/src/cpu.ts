export type Vcpu = { $placement?: string; $current?: string | number; $cpuset?: string; _: string | number }

export type Vcpus = { vcpu: { $id: string | number; $enabled: string; $hotpluggable?: string; $order?: string }[] }

export type DomainCpu = {
  $mode?: string
  $match?: string
  $check?: string
  $migratable?: string
  model?: string | { $fallback?: string; _?: string }
  vendor?: string
  topology?: { $sockets: string | number; $dies?: string; $cores: string | number; $threads: string | number }
  feature?: { $name: string; $policy?: string }[]
  numa?: { cell: NumaCell[] }
  maxphysaddr?: { $mode: string }
}

export type NumaCell = {
  $id: string | number
  $cpus: string
  $memory: string | number
  $unit?: string
  $memAccess?: string
  distances?: { sibling: { $id: string | number; $value: string | number }[] }
}

export type CpuTune = {
  vcpupin?: { $vcpu: string | number; $cpuset: string }[]
  iothreadpin?: { $iothread: string | number; $cpuset: string }[]
  emulatorpin?: { $cpuset: string }
  vcpusched?: { $vcpus: string; $scheduler: string; $priority: string | number }[]
}

export type NumaTune = {
  memory: { $mode: string; $nodeset: string }
  memnode?: { $cellid: string | number; $mode: string; $nodeset: string }[]
}
