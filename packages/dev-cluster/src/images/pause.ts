import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, packageDir } from '../paths.ts'
import { command } from '../process/command.ts'

/** The image whose process holds a pod's namespaces open. */
export const pauseImage = 'localhost/kubevirt-ts/pause:1'

/** Compiles the pause program unless the cache holds it; returns its path. */
export async function ensurePause(log: string): Promise<string> {
  const file = join(cacheDir(), 'programs', 'pause-1', 'pause')
  if (existsSync(file)) return file
  await mkdir(join(file, '..'), { recursive: true })
  const source = join(packageDir('pause'), 'pause.c')
  await command(['gcc', '-static', '-Os', '-s', '-o', `${file}.partial`, source], { log, reason: 'BuildFailed' })
  await rename(`${file}.partial`, file)
  return file
}
