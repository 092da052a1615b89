import { parseMilli } from '@kubevirt-ts/api'

const quantityKeys =
  /^(memory|cpu|guest|maxGuest|guestAtBoot|guestCurrent|guestRequested|capacity|ephemeral-storage|storage)$/

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

function normal(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((each) => normal(each, key))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, each]) => [name, normal(each, name)] as const)
        .filter(([, each]) => !isEmpty(each)),
    )
  }
  return quantityKeys.test(key) && (typeof value === 'string' || typeof value === 'number')
    ? String(parseMilli(value))
    : value
}

/**
 * An object without what a comparison must not see: empty maps, the way quantities are written, the time of phases,
 * and generated identifiers.
 */
export function comparable(object: object): unknown {
  const copy = structuredClone(object) as {
    status?: { phaseTransitionTimestamps?: unknown }
    spec?: { domain?: Firmware; template?: { spec?: { domain?: Firmware } } }
  }
  delete copy.status?.phaseTransitionTimestamps
  const serial = copy.spec?.template?.spec?.domain?.firmware
  if (serial?.serial) serial.serial = 'generated'
  return normal(copy, '')
}

interface Firmware {
  firmware?: { serial?: string }
}
