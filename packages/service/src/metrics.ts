import { Registry } from 'prom-client'

export { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** A registry that labels nothing by itself: KubeVirt's metric names carry the component already. */
export function createRegistry(component: string): Registry {
  const registry = new Registry()
  registry.setContentType(Registry.PROMETHEUS_CONTENT_TYPE)
  void component
  return registry
}
