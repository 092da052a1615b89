/** Machine types whose PCIe root ports take devices while the guest runs. */
const hotpluggable: Readonly<Record<string, RegExp>> = { amd64: /q35/, arm64: /^virt/ }

/** The layout of root ports for new guests; undefined for machines without hot-pluggable PCIe slots. */
export const pciTopology = (architecture: string | undefined, machineType: string | undefined): 'v3' | undefined =>
  hotpluggable[architecture ?? '']?.test(machineType ?? '') ? 'v3' : undefined
