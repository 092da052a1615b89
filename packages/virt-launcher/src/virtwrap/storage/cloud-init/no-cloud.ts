import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import type { CloudInitContent } from './content.ts'
import type { CloudInitData } from './data.ts'

export function noCloudMetaData(vmi: VirtualMachineInstance, data: CloudInitData): object {
  return {
    'instance-type': data.instanceType,
    'instance-id': vmi.spec.domain.firmware?.uuid ?? vmi.metadata.uid,
    'local-hostname': data.hostname,
    'public-keys': Object.keys(data.publicKeys).length > 0 ? data.publicKeys : undefined,
  }
}

/** Files of a NoCloud disk, by path. */
export function noCloudFiles({ NoCloudMetaData, UserData, NetworkData }: CloudInitContent): Record<string, string> {
  return {
    'meta-data': JSON.stringify(NoCloudMetaData),
    'user-data': UserData,
    ...(NetworkData === '' ? {} : { 'network-config': NetworkData }),
  }
}
