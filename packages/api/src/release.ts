/** The product's own version. */
export const productVersion = '0.1.0'

/**
 * The KubeVirt release whose API this is. Servers report it, since clients of another minor release warn their users
 * of a difference.
 */
export const compatibleRelease = 'v1.9.0'

/** What server and client report: the product's version is build metadata, which no comparison looks at. */
export const reportedVersion = `${compatibleRelease}+kubevirt-ts.${productVersion}`
