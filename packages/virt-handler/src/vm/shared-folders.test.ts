import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { vmi } from '@kubevirt-ts/libvmi'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import { foldersNotServed } from './shared-folders.ts'

test('a folder is served once the socket of its container is there', () => {
  const pods = mkdtempSync(join(tmpdir(), 'pods-'))
  try {
    const guest = vmi((object) => {
      object.spec.domain.devices.filesystems = ['a', 'b'].map((name) => ({ name, virtiofs: {} }))
    })
    expect(foldersNotServed(vmi(), pods, 'pod')).toEqual([])
    expect(foldersNotServed(guest, pods, 'pod')).toEqual(['a', 'b'])
    const sockets = emptyDirPath(pods, 'pod', 'virtiofs-containers')
    mkdirSync(sockets, { recursive: true })
    writeFileSync(join(sockets, 'a.sock'), '')
    expect(foldersNotServed(guest, pods, 'pod')).toEqual(['b'])
    writeFileSync(join(sockets, 'b.sock'), '')
    expect(foldersNotServed(guest, pods, 'pod')).toEqual([])
  } finally {
    rmSync(pods, { recursive: true })
  }
})
