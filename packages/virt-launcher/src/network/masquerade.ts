/** Addresses of a masqueraded network: the pod is the router, the guest is next to it. */
export type MasqueradeAddresses = { readonly gateway: string; readonly guest: string; readonly prefixLength: number }

/** The first two host addresses of a network such as 10.0.2.0/24. Throws when it has not as many. */
export function masqueradeAddresses(cidr: string): MasqueradeAddresses {
  const [network = '', length] = cidr.split('/')
  const prefixLength = Number(length)
  if (!(prefixLength >= 0 && prefixLength <= 30)) throw new Error(`${cidr} has no two host addresses`)
  const number = network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const base = number - (number % 2 ** (32 - prefixLength))
  return { gateway: dotted(base + 1), guest: dotted(base + 2), prefixLength }
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}
