import type { CPU, Firmware, KernelBootContainer, Quantity } from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

/** Memory that the guest sees. */
export function withMemory(guest: Quantity): VmiPiece {
  return ({ spec }) => {
    spec.domain.memory = { ...spec.domain.memory, guest }
  }
}

/** Requests of the launcher pod. */
export function withRequests(requests: Record<string, Quantity>): VmiPiece {
  return ({ spec: { domain } }) => {
    domain.resources = { ...domain.resources, requests: { ...domain.resources?.requests, ...requests } }
  }
}

/** Limits of the launcher pod. */
export function withLimits(limits: Record<string, Quantity>): VmiPiece {
  return ({ spec: { domain } }) => {
    domain.resources = { ...domain.resources, limits: { ...domain.resources?.limits, ...limits } }
  }
}

export function withCpu(cpu: CPU): VmiPiece {
  return ({ spec }) => {
    spec.domain.cpu = { ...spec.domain.cpu, ...cpu }
  }
}

export function withFirmware(firmware: Firmware): VmiPiece {
  return ({ spec }) => {
    spec.domain.firmware = { ...spec.domain.firmware, ...firmware }
  }
}

/** Boots a kernel and initrd from a container image. Paths are those in the image, by default `/boot/vmlinuz` and `/boot/initrd`. */
export function withKernelBoot(
  image: string,
  { kernelArgs = 'console=ttyS0', ...container }: { kernelArgs?: string } & Partial<KernelBootContainer> = {},
): VmiPiece {
  return withFirmware({
    kernelBoot: {
      kernelArgs,
      container: { image, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd', ...container },
    },
  })
}
