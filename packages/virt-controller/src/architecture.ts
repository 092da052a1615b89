const names: Readonly<Record<string, string>> = { x64: 'amd64' }

/** The machine's architecture in Kubernetes' words. */
export function machineArchitecture(arch: string = process.arch): string {
  return names[arch] ?? arch
}
