import { metadataNamespace, parseDomain, writeXml, type KubeVirtMetadata, type XmlElement } from '@kubevirt-ts/domain'
import type { Domain } from '@kubevirt-ts/libvirt'

const namespace = { prefix: 'kubevirt', uri: metadataNamespace }

/** Changes what KubeVirt remembers in a domain; in the running one too, where it runs. */
export async function updateMetadata(
  domain: Domain,
  change: (metadata: KubeVirtMetadata) => KubeVirtMetadata,
): Promise<KubeVirtMetadata> {
  const before = parseDomain(await domain.xml()).metadata?.kubevirt ?? {}
  const after = change(before)
  const { state } = await domain.state()
  const live = state !== 'shutoff' && state !== 'nostate'
  // libvirt adds the namespace itself.
  const element = writeXml('kubevirt', withoutAttributes(after) as XmlElement)
  await domain.setMetadata(element, namespace, { live, config: true })
  return after
}

function withoutAttributes(metadata: KubeVirtMetadata): object {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('$')))
}
