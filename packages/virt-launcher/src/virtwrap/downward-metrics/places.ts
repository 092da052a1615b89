import type { Paths } from '../converter/index.ts'

/** The disk on which a guest finds metrics of its host. */
export const metricsDisk = ({ private: folder }: Pick<Paths, 'private'>): string =>
  `${folder}/downwardapi-disks/vhostmd0`

/** The socket on which QEMU hands over what the guest asks for. */
export const metricsChannel = ({ private: folder }: Pick<Paths, 'private'>): string =>
  `${folder}/downwardmetrics-channel/downwardmetrics.sock`
