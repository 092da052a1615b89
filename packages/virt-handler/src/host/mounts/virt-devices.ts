import { run } from '../run.ts'

/** Where virt-handler's image keeps the helper that changes which devices a container may use. */
export const virtDevicesProgram = '/usr/bin/virt-devices'

/** See mount/virt-devices.c for control groups of both versions. A device is `MAJOR:MINOR`. */
export interface VirtDevices {
  /** @param folder where the container's own devices are, beside /dev */
  allow(pid: number, device: string, folder: string): Promise<void>
  deny(pid: number, device: string, folder: string): Promise<void>
}

export function virtDevices(program = virtDevicesProgram): VirtDevices {
  const change =
    (verb: 'allow' | 'deny') =>
    async (pid: number, device: string, folder: string): Promise<void> => {
      await run([program, verb, '--pid', String(pid), '--device', device, '--folder', folder])
    }
  return { allow: change('allow'), deny: change('deny') }
}
