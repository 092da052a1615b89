import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { CloudInitData } from './data.ts'

/** Files of a NoCloud disk, by path. */
export function noCloudFiles(vmi: VirtualMachineInstance, data: CloudInitData): Record<string, string> {
  const metaData = {
    'instance-type': data.instanceType,
    'instance-id': vmi.spec.domain.firmware?.uuid ?? vmi.metadata.uid,
    'local-hostname': data.hostname,
    'public-keys': Object.keys(data.publicKeys).length > 0 ? data.publicKeys : undefined,
  }
  return {
    'meta-data': JSON.stringify(metaData),
    'user-data': data.userData,
    ...(data.networkData === '' ? {} : { 'network-config': data.networkData }),
  }
}
