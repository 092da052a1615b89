/** virtctl's own version. */
export const productVersion = '0.1.0'

/** The KubeVirt release whose commands these are, with the product's version as build metadata. */
export const clientVersion = `v1.9.0+kubevirt-ts.${productVersion}`
