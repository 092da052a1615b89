import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { VirtError } from '@kubevirt-ts/service'
import { cloudInitSource, hostname } from '@kubevirt-ts/vmispec'

/** What cloud-init in the guest is told. */
export type CloudInitData = {
  readonly userData: string
  readonly networkData: string
  readonly publicKeys: Readonly<Record<string, string>>
  readonly hostname: string
  readonly instanceType?: string
}

/** Collects the texts of a cloud-init volume: from the spec, or from secrets that kubelet mounted into the pod. */
export async function readCloudInit(
  vmi: VirtualMachineInstance,
  volume: Volume,
  privateDir: string,
): Promise<CloudInitData> {
  const source = cloudInitSource(volume)!
  const secret = join(privateDir, 'secret', volume.name)
  const fromSecret = (name: string) => firstFile([join(secret, name.toLowerCase()), join(secret, name)], volume.name)
  return {
    userData:
      source.userData ?? decode(source.userDataBase64) ?? (source.secretRef ? await fromSecret('userData') : ''),
    networkData:
      source.networkData ??
      decode(source.networkDataBase64) ??
      (source.networkDataSecretRef ? await fromSecret('networkData') : ''),
    publicKeys: await publicKeys(vmi, volume, privateDir),
    hostname: hostname(vmi),
    instanceType: instanceType(vmi),
  }
}

function decode(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString()
}

// The pod mounts both spellings of the key; the one that the secret lacks is an empty folder.
async function firstFile(paths: readonly string[], volume: string): Promise<string> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
  }
  throw new VirtError(
    'CloudInitSecretKeyMissing',
    `the secret of volume ${volume} has neither key ${paths.map((path) => path.split('/').at(-1)).join(' nor ')}`,
  )
}

async function publicKeys(
  vmi: VirtualMachineInstance,
  volume: Volume,
  privateDir: string,
): Promise<Record<string, string>> {
  const keys: string[] = []
  for (const { sshPublicKey } of vmi.spec.accessCredentials ?? []) {
    const method = sshPublicKey?.propagationMethod
    const wanted = volume.cloudInitNoCloud ? method?.noCloud : method?.configDrive
    const name = sshPublicKey?.source.secret?.secretName
    if (wanted && name) keys.push(...(await filesOf(join(privateDir, 'secret', `${name}-access-cred`))))
  }
  return Object.fromEntries(keys.map((key, index) => [String(index), key]))
}

// Names with two dots belong to kubelet's way of replacing a secret at once.
async function filesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('..')).sort()
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

function instanceType({ metadata }: VirtualMachineInstance): string | undefined {
  const { annotations = {} } = metadata
  return annotations['kubevirt.io/cluster-instancetype-name'] ?? annotations['kubevirt.io/instancetype-name']
}
