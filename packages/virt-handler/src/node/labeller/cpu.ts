/** What a node's libvirt says of CPUs, under the names that labels use. */
export interface CpuFacts {
  /** Models that guests can be given here, and those that libvirt knows at all. */
  readonly usableModels: readonly string[]
  readonly knownModels: readonly string[]
  /** Features that a guest can be given. */
  readonly features: readonly string[]
  /** What `host-model` comes to; undefined where libvirt does not offer it. */
  readonly hostModel?: { readonly name: string; readonly requiredFeatures: readonly string[] }
  /** Hyper-V enlightenments. */
  readonly hyperv: readonly string[]
  readonly tsc?: { readonly frequency: string; readonly scalable: boolean }
}

/** The texts that the launcher's image has written on this node; empty where there is none. */
export interface CapabilityTexts {
  readonly domainCapabilities: string
  readonly supportedFeatures: string
  readonly capabilities: string
}

/** libvirt's names of enlightenments where the labels have another. */
const hypervNames: Readonly<Record<string, string>> = { relaxed: 'base', stimer: 'synictimer' }

const label = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}'
const models = new RegExp(`<model\\b([^>]*)>(${label})</model>`, 'g')
const required = new RegExp(`<feature policy='require' name='(${label})'`, 'g')

/** Reads them; what cannot be a label is left out. */
export function cpuFactsOf({ domainCapabilities, supportedFeatures, capabilities }: CapabilityTexts): CpuFacts {
  const custom = [...(modeOf(domainCapabilities, 'custom') ?? '').matchAll(models)]
  const host = modeOf(domainCapabilities, 'host-model')
  const hostName = host && [...host.matchAll(models)][0]?.[2]
  const hyperv = /<hyperv supported='yes'>(.*?)<\/hyperv>/s.exec(domainCapabilities)?.[1] ?? ''
  const tsc = /<counter name='tsc' frequency='(\d+)'(?: scaling='(yes|no)')?/.exec(capabilities)
  return {
    usableModels: unique(
      custom.filter(([, attributes]) => attributes!.includes("usable='yes'")).map(([, , name]) => name!),
    ),
    knownModels: unique(custom.map(([, , name]) => name!)),
    features: unique(firsts(supportedFeatures, required)),
    ...(host && hostName ? { hostModel: { name: hostName, requiredFeatures: unique(firsts(host, required)) } } : {}),
    hyperv: firsts(hyperv, /<value>([a-z0-9_]+)<\/value>/g).map((name) => hypervNames[name] ?? name),
    ...(tsc ? { tsc: { frequency: tsc[1]!, scalable: tsc[2] === 'yes' } } : {}),
  }
}

/** The content of a CPU mode that is supported. */
function modeOf(text: string, name: string): string | undefined {
  return new RegExp(`<mode name='${name}' supported='yes'[^>]*>(.*?)</mode>`, 's').exec(text)?.[1]
}

const firsts = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, first]) => first!)
const unique = (names: readonly string[]): string[] => [...new Set(names)]
