const number = /^[1-9]\d*$/

/**
 * Whether one version of a resource came before another; undefined where that cannot be told. Versions that are decimal
 * numbers can be compared (Kubernetes API concepts, "Resource versions").
 */
export function isEarlierVersion(one: string, other: string): boolean | undefined {
  return number.test(one) && number.test(other) ? BigInt(one) < BigInt(other) : undefined
}
