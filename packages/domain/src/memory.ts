export type DomainMemory = { $unit?: string; _: string | number }

export type MaxMemory = { $slots?: string | number; $unit?: string; _: string | number }

export type MemoryBacking = {
  hugepages?: { page?: { $size: string | number; $unit: string; $nodeset?: string }[] }
  source?: { $type: string }
  access?: { $mode: string }
  allocation?: { $mode: string }
  nosharepages?: Record<string, never>
}
