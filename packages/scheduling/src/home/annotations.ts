/** Annotations of a VM that tell where it lives; people may read and edit them. */
export const homeAnnotation = {
  node: 'home.kubevirt-ts.io/node',
  policy: 'home.kubevirt-ts.io/policy',
  /** The home to come back to after maintenance. */
  returnTo: 'home.kubevirt-ts.io/return-to',
} as const

/** `required`: only at home. `preferred`: at home when it fits. `off`: as if there were no home. */
export const homePolicies = ['required', 'preferred', 'off'] as const
export type HomePolicy = (typeof homePolicies)[number]
