import { describe, expect, test } from '@jest/globals'
import type { OverheadSettings } from './memory-overhead.ts'
import type { VmiPiece } from '@kubevirt-ts/libvmi'
import {
  vmi,
  withCpu,
  withDevices,
  withInterface,
  withLimits,
  withMemory,
  withReadinessProbe,
  withRequests,
  withoutGraphics,
} from '@kubevirt-ts/libvmi'
import { memoryOverhead } from './memory-overhead.ts'

const Mi = 1024 * 1024

const exactly = (amounts: Parameters<typeof withLimits>[0]) => [withLimits(amounts), withRequests(amounts)]

/** Amounts as the original puts them into its pods. */
describe('memory overhead equals the original', () => {
  test.each<[string, VmiPiece[], OverheadSettings, number]>([
    ['guest memory alone has no page tables', [withMemory('1Gi')], {}, 288 * Mi],
    ['a memory request has page tables', [withRequests({ memory: '1Gi' })], {}, 290 * Mi],
    ['a request of 4G', [withRequests({ memory: '4G' })], {}, 288 * Mi + 7812500],
    ['no display', [withoutGraphics()], {}, 256 * Mi],
    ['a processor more', [withCpu({ cores: 2 })], {}, 296 * Mi],
    ['processors from a request of 1.5', [withRequests({ cpu: '1500m' })], {}, 296 * Mi],
    ['dedicated processors', [withCpu({ cores: 1, dedicatedCpuPlacement: true })], {}, 388 * Mi],
    ['guaranteed quality', [...exactly({ cpu: 1, memory: '128Mi' })], {}, 388 * Mi + 262144],
    ['limits alone', [withLimits({ cpu: 1, memory: '128Mi' })], {}, 288 * Mi],
    ['a GPU', [withDevices({ gpus: [{ name: 'g', deviceName: 'example/gpu' }] })], {}, 1312 * Mi],
    ['a TPM', [withDevices({ tpm: {} })], {}, 341 * Mi],
    ['a disabled TPM', [withDevices({ tpm: { enabled: false } })], {}, 288 * Mi],
    ['an exec probe', [withReadinessProbe({ exec: { command: ['true'] } })], {}, 398 * Mi],
    ['arm64', [], { architecture: 'arm64' }, 416 * Mi],
    ['half as much again', [], { additionalRatio: '1.5' }, 288 * Mi + 150995000],
    ['passt', [withInterface({ name: 'n', passtBinding: {} }, { name: 'n', pod: {} })], {}, 538 * Mi],
    [
      'a binding plugin counts once',
      [
        withInterface({ name: 'a', binding: { name: 'p' } }, { name: 'a', pod: {} }),
        withInterface({ name: 'b', binding: { name: 'p' } }, { name: 'b', multus: { networkName: 'x' } }),
      ],
      { bindings: { p: { computeResourceOverhead: { requests: { memory: '10Mi' } } } } },
      298 * Mi,
    ],
  ])('%s', (_, pieces, settings, bytes) => {
    expect(Number(memoryOverhead(vmi(...pieces).spec, settings))).toBe(bytes)
  })
})
