import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Volume } from '@kubevirt-ts/api'
import { makeIso } from './iso.ts'

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

type Source = { readonly folder: string; readonly label: string }

/** Makes the image of a volume whose content kubelet laid into the pod; nothing for other volumes. */
export async function makeConfigDisk(volume: Volume, privateDir: string, path: string): Promise<void> {
  const source = sourceOf(volume, privateDir)
  if (!source) return
  // An optional source that does not exist gives the guest an empty disk.
  if (!existsSync(source.folder)) await mkdir(source.folder, { recursive: true })
  await makeIso(source.folder, source.label, path)
}

function sourceOf(volume: Volume, privateDir: string): Source | undefined {
  const { name, configMap, secret, downwardAPI, serviceAccount, sysprep } = volume
  const labelled = configMap ?? secret ?? downwardAPI
  const label = labelled?.volumeLabel || 'cfgdata'
  if (configMap) return { folder: `${privateDir}/config-map/${name}`, label }
  if (secret) return { folder: `${privateDir}/secret/${name}`, label }
  if (downwardAPI) return { folder: `${privateDir}/downwardapi/${name}`, label }
  if (serviceAccount) return { folder: serviceAccountFolder, label }
  if (sysprep) return { folder: `${privateDir}/sysprep/${name}`, label: 'unattendCD' }
  return undefined
}
