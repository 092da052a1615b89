import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { configDriveFiles, configDriveMetaData } from './config-drive.ts'
import type { CloudInitData } from './data.ts'
import { noCloudFiles, noCloudMetaData } from './no-cloud.ts'

/** The content of a cloud-init disk, with the names by which hook sidecars know it. */
export type CloudInitContent = {
  readonly DataSource: 'noCloud' | 'configDrive'
  readonly NoCloudMetaData?: object
  readonly ConfigDriveMetaData?: object
  readonly UserData: string
  readonly NetworkData: string
  readonly VolumeName: string
}

/** What the disk of a volume holds, from all that cloud-init in the guest is to know. */
export function contentOf(vmi: VirtualMachineInstance, volume: Volume, data: CloudInitData): CloudInitContent {
  const common = { UserData: data.userData, NetworkData: data.networkData, VolumeName: volume.name }
  if (volume.cloudInitNoCloud) return { DataSource: 'noCloud', NoCloudMetaData: noCloudMetaData(vmi, data), ...common }
  return { DataSource: 'configDrive', ConfigDriveMetaData: configDriveMetaData(vmi, data), ...common }
}

/** The disk's files, by path. */
export function filesOf(content: CloudInitContent): Record<string, string> {
  return content.DataSource === 'noCloud' ? noCloudFiles(content) : configDriveFiles(content)
}
