import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { emptyDirPath } from '../host/isolation/pod-folder.ts'
import { openNotifyPipe } from './notify-pipe.ts'

const nobody = { onDomain: () => undefined, onEvent: () => undefined }

test('a pod whose folders the kubelet takes away at this moment has no pipe, which is no failure', async () => {
  const podsFolder = mkdtempSync(join(tmpdir(), 'pods-'))
  const folder = emptyDirPath(podsFolder, 'earlier', 'public')
  mkdirSync(folder, { recursive: true })
  try {
    const opening = openNotifyPipe({ podsFolder, podUid: 'earlier', ...nobody })
    rmSync(folder, { recursive: true })

    expect(await opening).toBeUndefined()
  } finally {
    rmSync(podsFolder, { recursive: true })
  }
})
