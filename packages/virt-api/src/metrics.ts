import { Gauge } from '@kubevirt-ts/service'
import type { Registry } from '@kubevirt-ts/service'

/** 1 while virt-api takes requests. */
export const readyStatus = (metrics: Registry): Gauge =>
  new Gauge({
    name: 'kubevirt_virt_api_ready_status',
    help: 'Indication for a virt-api that is ready to take requests.',
    registers: [metrics],
  })

/** Open streams by subresource. */
export function activeStreams(metrics: Registry): Readonly<Record<string, Gauge>> {
  const gauge = (name: string, labelNames: string[], what: string) =>
    new Gauge({
      name: `kubevirt_${name}`,
      help: `Amount of active ${what}, broken down by namespace and name.`,
      labelNames,
      registers: [metrics],
    })
  return {
    console: gauge('console_active_connections', ['namespace', 'vmi'], 'Console connections'),
    vnc: gauge('vnc_active_connections', ['namespace', 'vmi'], 'VNC connections'),
    portforward: gauge('portforward_active_tunnels', ['namespace', 'name'], 'portforward tunnels'),
  }
}
