import { decodeJson, encodeJson } from '@kubevirt-ts/handler-launcher-com'
import type { CloudInitContent } from '../virtwrap/storage/cloud-init/content.ts'

type Encoded = { readonly cloudInitNoCloudSource: Buffer; readonly cloudInitData: Buffer }

/** As a sidecar gets it: in the form of today and in that of the first ones. */
export function encodeCloudInit(data: CloudInitContent): Encoded {
  const source = { userData: data.UserData, ...(data.NetworkData === '' ? {} : { networkData: data.NetworkData }) }
  return { cloudInitNoCloudSource: encodeJson(source), cloudInitData: encodeJson(data) }
}

/** What a sidecar returned. One that only knows the first form leaves the other empty, and changes two texts at most. */
export function decodeCloudInit(
  { cloudInitNoCloudSource, cloudInitData }: Encoded,
  before: CloudInitContent,
): CloudInitContent {
  const data = decodeJson<Partial<CloudInitContent>>(cloudInitData)
  if (data?.UserData && (data.NoCloudMetaData ?? data.ConfigDriveMetaData)) return { ...before, ...data }
  const source = decodeJson<{ userData?: string; networkData?: string }>(cloudInitNoCloudSource)
  return {
    ...before,
    UserData: source?.userData ?? before.UserData,
    NetworkData: source?.networkData ?? before.NetworkData,
  }
}
