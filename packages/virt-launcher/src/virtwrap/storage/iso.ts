import { mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runTool } from './run-tool.ts'

/**
 * Makes an ISO image of a folder's content, replacing an older one.
 * @param label the volume id by which the guest finds it
 */
export async function makeIso(folder: string, label: string, path: string): Promise<void> {
  const scratch = `${path}.new`
  await mkdir(dirname(path), { recursive: true })
  const form = ['-joliet', '-rock', '-partition_cyl_align', 'on', '-follow-links']
  await runTool('xorrisofs', ['-quiet', '-output', scratch, '-volid', label, ...form, folder])
  await rename(scratch, path)
}
