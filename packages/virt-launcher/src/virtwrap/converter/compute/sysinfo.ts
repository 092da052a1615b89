import type { SysinfoEntry } from '@kubevirt-ts/domain'
import type { Configurator } from '../configurator.ts'

/** Licence tables of Windows, from secrets. */
export const acpiTables: Configurator = (domain, { vmi, context }) => {
  const { slicNameRef, msdmNameRef } = vmi.spec.domain.firmware?.acpi ?? {}
  const table = (type: string, volume: string | undefined) =>
    volume ? [{ $type: type, _: `${context.paths.private}/secret/${volume}/${type}.bin` }] : []
  const tables = [...table('slic', slicNameRef), ...table('msdm', msdmNameRef)]
  if (tables.length > 0) domain.os.acpi = { table: tables }
}

/** What the guest reads in its SMBIOS tables. */
export const sysinfo: Configurator = (domain, { vmi, context }) => {
  const { firmware, chassis } = vmi.spec.domain
  const { smbios } = context
  domain.sysinfo = {
    $type: 'smbios',
    system: {
      entry: [
        ...entry('uuid', firmware?.uuid),
        ...entry('serial', firmware?.serial),
        { $name: 'manufacturer', _: smbios?.manufacturer ?? '' },
        { $name: 'family', _: smbios?.family ?? '' },
        { $name: 'product', _: smbios?.product ?? '' },
        { $name: 'sku', _: smbios?.sku ?? '' },
        { $name: 'version', _: smbios?.version ?? '' },
      ],
    },
    bios: {},
    baseBoard: {},
    chassis: chassis && {
      entry: [
        ...entry('manufacturer', chassis.manufacturer),
        ...entry('version', chassis.version),
        ...entry('serial', chassis.serial),
        ...entry('asset', chassis.asset),
        ...entry('sku', chassis.sku),
      ],
    },
  }
}

function entry(name: string, value: string | undefined): SysinfoEntry[] {
  return value ? [{ $name: name, _: value }] : []
}
