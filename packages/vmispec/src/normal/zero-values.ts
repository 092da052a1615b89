import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'

/**
 * Optional fields in which `false`, 0 or an empty text says the same as nothing, so that they are not stored. In all
 * others, such as `enabled` of a feature, such a value is the user's decision.
 */
const unsetWhenZero: ReadonlySet<string> = new Set(
  `dedicatedCpuPlacement isolateEmulatorThread overcommitGuestOverhead hidden endOfInterrupt disableHotplug
   readonly readOnly reservation hotpluggable default cores sockets threads maxSockets acpiIndex logical physical
   initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold hostname subdomain
   schedulerName priorityClassName serviceAccountName architecture dnsPolicy model bus serial cache io tag
   pciAddress macAddress state tray action uuid kernelArgs kernelPath initrdPath imagePullPolicy imagePullSecret
   volumeLabel deviceName vmNetworkCIDR vmIPv6NetworkCIDR bootFileName tftpServerName protocol pageSize mask
   tickPolicy track vendorid manufacturer version sku asset scheme host userData userDataBase64 networkData
   networkDataBase64`.split(/\s+/),
)

/** Fields that are named as above, but keep what the user says, by what they belong to. */
const kept: Readonly<Record<string, string>> = { cdrom: 'readonly', containerPath: 'readOnly', portRanges: 'protocol' }

/** Further fields of that kind, whose names mean more elsewhere, by what they belong to. */
const unsetIn: Readonly<Record<string, readonly string[]>> = {
  containerDisk: ['path'],
  features: ['policy'],
  httpGet: ['path'],
  ports: ['name'],
  sev: ['dhCert', 'session'],
  tolerations: ['key', 'operator', 'value', 'effect'],
}

/** Parts of the spec with fields of ours; the others are maps of the user, or Kubernetes' own. */
const parts = ['domain', 'volumes', 'networks', 'tolerations', 'livenessProbe', 'readinessProbe'] as const

/** Takes such values out of `spec`, which the caller owns. */
export function dropZeroValues(spec: VirtualMachineInstanceSpec): void {
  unset(spec as unknown as Record<string, unknown>, 'spec')
  for (const part of parts) visit(spec[part], part)
}

function visit(value: unknown, owner: string): void {
  if (Array.isArray(value)) for (const item of value) visit(item, owner)
  else if (typeof value === 'object' && value !== null) {
    unset(value as Record<string, unknown>, owner)
    for (const key in value) visit((value as Record<string, unknown>)[key], key)
  }
}

// Lists of keys and values are not made: each new VMI is walked, and most have no such value.
function unset(object: Record<string, unknown>, owner: string): void {
  for (const key in object) {
    const value = object[key]
    const isZero = value === false || value === 0 || value === ''
    if (isZero && (isUnset(key, owner) || unsetIn[owner]?.includes(key))) delete object[key]
  }
}

const isUnset = (key: string, owner: string) => unsetWhenZero.has(key) && kept[owner] !== key
