/** Kinds of host devices, as the environment of a launcher names them. */
export type HostDeviceKind = 'PCI_RESOURCE' | 'MDEV_PCI_RESOURCE' | 'USB_RESOURCE'

/**
 * The environment variable in which a container finds the addresses of the devices of a resource that it was given,
 * with commas between them. Device plugins of others write it too, so that it is KubeVirt's to the letter.
 */
export const hostDeviceVariable = (kind: HostDeviceKind, resourceName: string): string =>
  `${kind}_${resourceName.toUpperCase().replaceAll(/[./]/g, '_')}`
