import type { Alias } from './device.ts'

/** The name that a device has in the VMI; libvirt wants aliases that users choose to begin with `ua-`. */
export function deviceName({ alias }: { readonly alias?: Alias | undefined }): string | undefined {
  return alias?.$name.replace(/^ua-/, '')
}
