import type { KubeObject, ResourceType } from '@kubevirt-ts/api'
import { answerOf } from '../client/subresource.ts'
import { CommandError } from '../command.ts'
import type { Cluster, FlagValues } from '../command.ts'
import { textOf } from '../flags.ts'
import type { Target } from './target.ts'

const cdiMissing =
  'CDI is not installed in this cluster, and images are uploaded by it: install it, or put the image into a container disk (docs: containerDisk)'

/** Throws where nobody would take an upload. */
export async function needCdi({ client }: Cluster): Promise<void> {
  const { status } = await client.request({ method: 'GET', path: '/apis/cdi.kubevirt.io/v1beta1' })
  if (status === 404) throw new CommandError(cdiMissing)
}

const cdiConfigs: ResourceType<
  KubeObject & { readonly spec?: { uploadProxyURLOverride?: string }; readonly status?: { uploadProxyURL?: string } }
> = {
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  plural: 'cdiconfigs',
  kind: 'CDIConfig',
  namespaced: false,
}

/** Where uploads go: what the user says, else what CDI says. */
export async function proxyUrl({ client }: Cluster, flags: FlagValues): Promise<string> {
  const told = textOf(flags, 'uploadproxyUrl')
  const { spec, status } = told ? {} : await client.get(cdiConfigs, { name: 'config' })
  const url = told ?? spec?.uploadProxyURLOverride ?? status?.uploadProxyURL
  if (!url) throw new CommandError('uploadproxy URL not found: CDI does not tell it, so give --uploadproxy-url')
  return /^https?:\/\//.test(url) ? url : `https://${url}`
}

/** What the proxy lets one claim be written by. */
export async function tokenFor({ client, namespace }: Cluster, pvcName: string): Promise<string> {
  const path = `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${namespace}/uploadtokenrequests` as const
  const body = {
    apiVersion: 'upload.cdi.kubevirt.io/v1beta1',
    kind: 'UploadTokenRequest',
    metadata: { name: 'token-for-virtctl' },
    spec: { pvcName },
  }
  const answer = JSON.parse(answerOf(await client.request({ method: 'POST', path, body })).toString()) as {
    readonly status?: { readonly token?: string }
  }
  if (!answer.status?.token) throw new CommandError('CDI gave no token for the upload')
  return answer.status.token
}

const dataSources: ResourceType<KubeObject> = {
  ...cdiConfigs,
  plural: 'datasources',
  kind: 'DataSource',
  namespaced: true,
}

/** A name under which templates find the image. */
export async function createDataSource({ client, namespace }: Cluster, { name, labels }: Target): Promise<void> {
  await client.create(dataSources, {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataSource',
    metadata: { name, namespace, labels: { ...labels } },
    spec: { source: { pvc: { name, namespace } } },
  } as KubeObject)
}
