import type { MasqueradePlan, MasqueradeRange } from './masquerade.ts'

const loopback = { 4: '127.0.0.1', 6: '::1' } as const

/**
 * Input of `nft -f -`: a table `nat` per address family. The whole script is one transaction, and running it again
 * gives the same tables.
 */
export function renderNftScript(plan: MasqueradePlan): string {
  return plan.ranges.map((range) => table(plan, range)).join('')
}

function table(plan: MasqueradePlan, range: MasqueradeRange): string {
  const ip = range.family === 4 ? 'ip' : 'ip6'
  const { guest, gateway } = range
  const rules = portRules(plan, ip, range)
  const chains = [
    chain('KUBEVIRT_PREINBOUND', undefined, rules.preInbound),
    chain('KUBEVIRT_POSTINBOUND', undefined, rules.postInbound(gateway)),
    chain('prerouting', 'prerouting priority -100', [`iifname "${plan.podLink}" counter jump KUBEVIRT_PREINBOUND`]),
    chain('input', 'input priority 100', []),
    chain('output', 'output priority -100', rules.output),
    chain('postrouting', 'postrouting priority 100', [
      `${ip} saddr ${guest} counter masquerade`,
      `oifname "${plan.bridge}" counter jump KUBEVIRT_POSTINBOUND`,
    ]),
  ]
  return `add table ${ip} nat\nflush table ${ip} nat\ntable ${ip} nat {\n${chains.join('')}}\n`
}

interface PortRules {
  readonly preInbound: readonly string[]
  readonly postInbound: (gateway: string) => readonly string[]
  readonly output: readonly string[]
}

/** Listed ports are forwarded to the guest; without a list, all of them. */
function portRules(plan: MasqueradePlan, ip: string, { family, guest }: MasqueradeRange): PortRules {
  const local = loopback[family]
  if (plan.ports.length === 0)
    return {
      preInbound: [`counter dnat to ${guest}`],
      postInbound: (gateway) => [`${ip} saddr { ${local} } counter snat to ${gateway}`],
      output: [`${ip} daddr { ${local} } counter dnat to ${guest}`],
    }
  const matches = plan.ports.map(({ port, protocol }) => ({
    set: `${protocol} dport { ${port} }`,
    one: `${protocol} dport ${port}`,
  }))
  return {
    preInbound: matches.map(({ set }) => `${set} counter dnat to ${guest}`),
    postInbound: (gateway) => matches.map(({ one }) => `${one} ${ip} saddr { ${local} } counter snat to ${gateway}`),
    output: matches.map(({ one }) => `${ip} daddr { ${local} } ${one} counter dnat to ${guest}`),
  }
}

function chain(name: string, hook: string | undefined, rules: readonly string[]): string {
  const body = [...(hook === undefined ? [] : [`type nat hook ${hook};`]), ...rules]
  return `\tchain ${name} {\n${body.map((line) => `\t\t${line}\n`).join('')}\t}\n`
}
