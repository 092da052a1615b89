import { growthOf } from '../storage/growth.ts'
import type { LiveChange } from './index.ts'

/** Shows the guest the new size of disks whose claim has grown. Nothing is made smaller. */
export const growDisks: LiveChange = async ({ vmi, domain, present, launcher }) => {
  for (const disk of present.devices.disk ?? []) {
    const bytes = await growthOf(vmi, disk)
    if (bytes === undefined) continue
    await domain.blockResize(disk.target.$dev, bytes)
    launcher.log.info({ disk: disk.alias?.$name, bytes: Number(bytes) }, 'disk grown')
  }
}
