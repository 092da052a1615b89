/** Machine versions of the launcher image's QEMU 10.0, for nodes whose capabilities were not written to a file. */
const q35Versions = [
  '2.4',
  '2.5',
  '2.6',
  '2.7',
  '2.8',
  '2.9',
  '2.10',
  '2.11',
  '2.12',
  '3.0',
  '3.1',
  '4.0',
  '4.0.1',
  '4.1',
  '4.2',
]
const laterVersions = [
  '5.0',
  '5.1',
  '5.2',
  '6.0',
  '6.1',
  '6.2',
  '7.0',
  '7.1',
  '7.2',
  '8.0',
  '8.1',
  '8.2',
  '9.0',
  '9.1',
  '9.2',
  '10.0',
]

export const builtInMachineTypes: readonly string[] = [
  'q35',
  'pc',
  ...[...q35Versions, ...laterVersions].map((version) => `pc-q35-${version}`),
  ...laterVersions.map((version) => `pc-i440fx-${version}`),
]

/** The machine types that libvirt's capabilities list, each once. */
export function machineTypesOf(capabilitiesXml: string): string[] {
  const found = [...capabilitiesXml.matchAll(/<machine\b[^>]*>([A-Za-z0-9._-]{1,63})<\/machine>/g)]
  return [...new Set(found.map(([, name]) => name as string))]
}
