import type { Field } from './field.ts'

/** A server that is asked for its opinion on nodes over HTTP. */
export interface ExtenderConfiguration {
  readonly urlPrefix: string
  readonly filterVerb?: string
  readonly prioritizeVerb?: string
  readonly bindVerb?: string
  readonly weight: number
  readonly httpTimeoutMs: number
  readonly nodeCacheCapable: boolean
  /** It is only asked for pods that request one of these; for all pods when there are none. */
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[]
  /** Pods are scheduled without it when it does not answer. */
  readonly ignorable: boolean
  readonly tls: {
    readonly insecure: boolean
    readonly caFile?: string
    readonly certFile?: string
    readonly keyFile?: string
  }
}

export function readExtenders(field: Field | undefined): ExtenderConfiguration[] {
  const extenders = (field?.items() ?? []).map((item) => readExtender(item))
  if (extenders.filter(({ bindVerb }) => bindVerb !== undefined).length > 1) {
    throw field!.error('only one extender can bind')
  }
  return extenders
}

function readExtender(field: Field): ExtenderConfiguration {
  const given = field.fields(
    'urlPrefix',
    'filterVerb',
    'preemptVerb',
    'prioritizeVerb',
    'weight',
    'bindVerb',
    'enableHTTPS',
    'tlsConfig',
    'httpTimeout',
    'nodeCacheCapable',
    'managedResources',
    'ignorable',
  )
  if (given.urlPrefix === undefined) throw field.error('needs urlPrefix')
  const prioritizeVerb = given.prioritizeVerb?.string()
  const weight = given.weight?.integer({ minimum: 1, maximum: 1_000_000 })
  if (prioritizeVerb && weight === undefined) throw given.prioritizeVerb!.error('needs a weight beside it')
  return {
    urlPrefix: given.urlPrefix.string().replace(/\/$/, ''),
    weight: weight ?? 1,
    httpTimeoutMs: given.httpTimeout?.duration() ?? 5_000,
    nodeCacheCapable: given.nodeCacheCapable?.boolean() ?? false,
    ignorable: given.ignorable?.boolean() ?? false,
    managedResources: (given.managedResources?.items() ?? []).map(readManagedResource),
    tls: readTls(given.tlsConfig),
    ...(given.filterVerb === undefined ? {} : { filterVerb: given.filterVerb.string() }),
    ...(prioritizeVerb ? { prioritizeVerb } : {}),
    ...(given.bindVerb === undefined ? {} : { bindVerb: given.bindVerb.string() }),
  }
}

function readManagedResource(field: Field): { readonly name: string; readonly ignoredByScheduler: boolean } {
  const { name, ignoredByScheduler } = field.fields('name', 'ignoredByScheduler')
  if (name === undefined) throw field.error('needs the name of a resource')
  return { name: name.string(), ignoredByScheduler: ignoredByScheduler?.boolean() ?? false }
}

function readTls(field: Field | undefined): ExtenderConfiguration['tls'] {
  const given = field?.fields(
    'insecure',
    'serverName',
    'certFile',
    'keyFile',
    'caFile',
    'certData',
    'keyData',
    'caData',
  )
  const text = (name: 'caFile' | 'certFile' | 'keyFile') => {
    const value = given?.[name]?.string()
    return value === undefined ? {} : { [name]: value }
  }
  return { insecure: given?.insecure?.boolean() ?? false, ...text('caFile'), ...text('certFile'), ...text('keyFile') }
}
