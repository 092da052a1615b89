import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { containerDisks } from '@kubevirt-ts/vmispec'
import { basename } from 'node:path'
import type { ImageFile } from '../host/container-disk/images.ts'

/** The files of container images that the guest boots or mounts, where the launcher looks for them. */
export function imageFiles(spec: VirtualMachineInstanceSpec): ImageFile[] {
  return [...diskFiles(spec), ...kernelFiles(spec)]
}

function diskFiles(spec: VirtualMachineInstanceSpec): ImageFile[] {
  return containerDisks(spec).map(({ index, source }) => ({
    socket: `disk_${index}.sock`,
    target: `disk_${index}.img`,
    ...(source.path ? { path: source.path } : {}),
  }))
}

function kernelFiles({ domain }: VirtualMachineInstanceSpec): ImageFile[] {
  const container = domain.firmware?.kernelBoot?.container
  const paths = [container?.kernelPath, container?.initrdPath].filter((path) => path !== undefined && path !== '')
  return paths.map((path) => ({
    socket: 'kernel-boot.sock',
    path: path as string,
    target: `kernel-boot/${basename(path as string)}`,
  }))
}
