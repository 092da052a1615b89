import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { vmi } from '@kubevirt-ts/libvmi'
import { contentOf, filesOf } from './content.ts'
import { type CloudInitData, readCloudInit } from './data.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloud-init-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function secret(name: string, files: Record<string, string>): void {
  mkdirSync(join(folder, 'secret', name), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, 'secret', name, file), text)
}

const guest = (change: (guest: VirtualMachineInstance) => void = () => {}): VirtualMachineInstance => {
  const made = vmi()
  made.metadata.name = 'vm'
  made.metadata.namespace = 'ns'
  made.spec.domain.firmware = { uuid: 'the-uuid' }
  change(made)
  return made
}

const noCloudFiles = (made: VirtualMachineInstance, data: CloudInitData) =>
  filesOf(contentOf(made, { name: 'ci', cloudInitNoCloud: {} }, data))
const configDriveFiles = (made: VirtualMachineInstance, data: CloudInitData) =>
  filesOf(contentOf(made, { name: 'ci', cloudInitConfigDrive: {} }, data))

test('texts of the spec are taken as they are or decoded', async () => {
  const volume: Volume = {
    name: 'ci',
    cloudInitNoCloud: { userDataBase64: 'I2Nsb3VkLWNvbmZpZwo=', networkData: 'version: 2\n' },
  }

  const files = noCloudFiles(guest(), await readCloudInit(guest(), volume, folder))

  expect(files['user-data']).toBe('#cloud-config\n')
  expect(files['network-config']).toBe('version: 2\n')
  expect(JSON.parse(files['meta-data']!)).toEqual({ 'instance-id': 'the-uuid', 'local-hostname': 'vm' })
})

test.each(['userdata', 'userData'])('user data comes from a secret under the key %s', async (key) => {
  secret('ci', { [key]: 'from the secret' })
  // kubelet makes a folder of the key that the secret does not have.
  mkdirSync(join(folder, 'secret/ci', key === 'userdata' ? 'userData' : 'userdata'))
  const volume: Volume = { name: 'ci', cloudInitNoCloud: { secretRef: { name: 's' } } }

  expect((await readCloudInit(guest(), volume, folder)).userData).toBe('from the secret')
})

test('a secret without the key is an error that names the volume', async () => {
  const volume: Volume = { name: 'ci', cloudInitNoCloud: { secretRef: { name: 's' } } }

  await expect(readCloudInit(guest(), volume, folder)).rejects.toMatchObject({
    reason: 'CloudInitSecretKeyMissing',
    message: expect.stringContaining('volume ci'),
  })
})

test('keys go only to the kind of disk that they are meant for', async () => {
  secret('keys-access-cred', { a: 'ssh-ed25519 A', b: 'ssh-ed25519 B' })
  const withKeys = guest(({ spec }) => {
    spec.accessCredentials = [
      { sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { configDrive: {} } } },
    ]
  })
  const drive: Volume = { name: 'ci', cloudInitConfigDrive: { userData: 'u' } }
  const files = configDriveFiles(withKeys, await readCloudInit(withKeys, drive, folder))
  const metaData = JSON.parse(files['openstack/latest/meta_data.json']!)

  expect(metaData.public_keys).toEqual({ 0: 'ssh-ed25519 A', 1: 'ssh-ed25519 B' })
  expect(metaData).toMatchObject({ instance_id: 'vm.ns', uuid: 'the-uuid', hostname: 'vm' })
  const other = await readCloudInit(withKeys, { name: 'ci', cloudInitNoCloud: { userData: 'u' } }, folder)
  expect(other.publicKeys).toEqual({})
})

test('devices that the user tagged are listed for the guest', async () => {
  const tagged = guest(({ spec }) => {
    spec.domain.devices.interfaces = [{ name: 'n', masquerade: {}, macAddress: '02:00:00:00:00:01', tag: 'uplink' }]
    spec.domain.devices.disks = [{ name: 'd', serial: 'S', tag: 'data', disk: { bus: 'virtio' } }]
  })
  const drive: Volume = { name: 'ci', cloudInitConfigDrive: { userData: 'u' } }
  const files = configDriveFiles(tagged, await readCloudInit(tagged, drive, folder))

  expect(JSON.parse(files['openstack/latest/meta_data.json']!).devices).toEqual([
    { type: 'nic', bus: 'pci', mac: '02:00:00:00:00:01', tags: ['uplink'] },
    { type: 'disk', bus: 'virtio', serial: 'S', tags: ['data'] },
  ])
})
