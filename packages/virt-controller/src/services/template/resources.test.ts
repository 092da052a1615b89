import { describe, expect, test } from '@jest/globals'
import type { KubeVirtConfiguration } from '@kubevirt-ts/api'
import { canonicalQuantity } from '@kubevirt-ts/api'
import { vmi, withAnnotation, withCpu, withLimits, withMemory, withName, withRequests } from '@kubevirt-ts/libvmi'
import type { VmiPiece } from '@kubevirt-ts/libvmi'
import { renderContext } from '../../../test/render-context.ts'
import { renderLaunchPod } from './index.ts'

/** What compute asks for and may use, in canonical form. */
function resourcesOf(pieces: readonly VmiPiece[], developer: KubeVirtConfiguration['developerConfiguration'] = {}) {
  const context = renderContext({ developerConfiguration: { useEmulation: true, ...developer } })
  const { requests = {}, limits = {} } =
    renderLaunchPod(vmi(withName('guest'), ...pieces), context).spec.containers[0]?.resources ?? {}
  const canonical = (values: typeof requests) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, canonicalQuantity(value)]))
  return { requests: canonical(requests), limits: canonical(limits) }
}

const withHugepages =
  (guest: string, pageSize = '2Mi'): VmiPiece =>
  ({ spec }) =>
    void (spec.domain.memory = { guest, hugepages: { pageSize } })

const overcommittedOverhead: VmiPiece = ({ spec }) =>
  void (spec.domain.resources = { ...spec.domain.resources, overcommitGuestOverhead: true })

describe('CPUs', () => {
  const pool: VmiPiece = ({ spec }) => void (spec.domain.ioThreads = { supplementalPoolThreadCount: 1 })
  const pooled: VmiPiece = (object) => {
    pool(object)
    object.spec.domain.ioThreadsPolicy = 'supplementalPool'
  }
  const dedicated = withCpu({ cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true })
  const even = withAnnotation('alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity', '')

  test.each<[string, VmiPiece[], string]>([
    ['count for the threads of a pool', [dedicated, pooled], '4'],
    ['do not count for a pool that the policy does not use', [dedicated, pool], '3'],
    ['are made even together with those of the pool', [dedicated, pooled, even], '4'],
    ['are made even', [dedicated, even], '4'],
  ])('%s', (_, pieces, cpu) => {
    expect(resourcesOf([withMemory('64Mi'), ...pieces]).limits['cpu']).toBe(cpu)
  })

  test('are shared exactly, also where the ratio leaves parts of thousandths', () => {
    const asked = (cpuAllocationRatio: number) =>
      resourcesOf([withMemory('64Mi')], { cpuAllocationRatio }).requests['cpu']
    expect([asked(16), asked(3), asked(10)]).toEqual(['62500u', '333333334n', '100m'])
  })
})

describe('memory', () => {
  const overhead = 288
  const Mi = (amount: number) => canonicalQuantity(`${amount}Mi`)

  test('a request of nothing leaves it to the limit', () => {
    const { requests, limits } = resourcesOf([withRequests({ memory: '0' }), withLimits({ memory: '64Mi' })])
    expect([requests['memory'], limits['memory']]).toEqual([Mi(64 + overhead), Mi(64 + overhead)])
  })

  test('an overhead that the guest does without is still allowed beside dedicated CPUs', () => {
    const pieces = [withMemory('64Mi'), withCpu({ cores: 1, dedicatedCpuPlacement: true }), overcommittedOverhead]
    const { requests, limits } = resourcesOf(pieces)
    expect([requests['memory'], limits['memory']]).toEqual([Mi(64), Mi(64 + overhead + 100)])
  })

  test('huge pages hold what is asked for of the guest, ordinary memory the overhead', () => {
    const { requests, limits } = resourcesOf([withHugepages('150Mi'), overcommittedOverhead], { memoryOvercommit: 150 })
    expect(requests).toMatchObject({ 'hugepages-2Mi': '100Mi', memory: Mi(overhead) })
    expect(limits['hugepages-2Mi']).toBe('100Mi')
  })

  test('a limit beyond the guest stays beside its huge pages, one below it adds nothing', () => {
    const limited = (memory: string) => resourcesOf([withHugepages('64Mi'), withLimits({ memory })])
    expect(limited('66Mi').limits).toMatchObject({ 'hugepages-2Mi': '64Mi', memory: Mi(2 + overhead) })
    expect(limited('32Mi').limits).toMatchObject({ 'hugepages-2Mi': '32Mi', memory: Mi(overhead) })
  })
})
