import { expect, test } from '@jest/globals'
import { defaultConfiguration } from '@kubevirt-ts/api'
import { isGateEnabled } from './feature-gates.ts'
import { mergeConfiguration } from './merge-configuration.ts'

test('what the resource does not say keeps its default', () => {
  const merged = mergeConfiguration({
    developerConfiguration: { useEmulation: true, logVerbosity: { virtHandler: 5 } },
    network: { defaultNetworkInterface: 'masquerade' },
    architectureConfiguration: { amd64: { emulatedMachines: ['pc*'] } },
  })

  expect(merged.developerConfiguration).toMatchObject({ useEmulation: true, cpuAllocationRatio: 10 })
  expect(merged.developerConfiguration?.logVerbosity).toMatchObject({ virtHandler: 5, virtAPI: 2 })
  expect(merged.network).toMatchObject({
    defaultNetworkInterface: 'masquerade',
    permitBridgeInterfaceOnPodNetwork: true,
  })
  expect(merged.architectureConfiguration?.amd64).toMatchObject({ machineType: 'q35', emulatedMachines: ['pc*'] })
})

test('changing a merged configuration does not change the defaults', () => {
  const merged = mergeConfiguration({})
  merged.developerConfiguration!.featureGates!.push('HostDisk')
  expect(defaultConfiguration.developerConfiguration.featureGates).toEqual([])
})

test.each([
  [
    { developerConfiguration: { cpuAllocationRatio: 0 } },
    'developerConfiguration.cpuAllocationRatio must be greater than 0',
  ],
  [
    { developerConfiguration: { memoryOvercommit: -1 } },
    'developerConfiguration.memoryOvercommit must be greater than 0',
  ],
  [{ developerConfiguration: { pvcTolerateLessSpaceUpToPercent: 101 } }, 'must be between 0 and 100, but is 101'],
  [{ imagePullPolicy: 'Sometimes' }, 'imagePullPolicy must be one of Always, IfNotPresent, Never, but is "Sometimes"'],
  [{ migrations: { bandwidthPerMigration: 'fast' } }, 'migrations.bandwidthPerMigration must be a quantity'],
  [
    { apiConfiguration: { restClient: { rateLimiter: { tokenBucketRateLimiter: { qps: 0, burst: 1 } } } } },
    'apiConfiguration.restClient.rateLimiter.tokenBucketRateLimiter.qps must be greater than 0',
  ],
])('%j is refused with its field', (configuration, words) => {
  expect(() => mergeConfiguration(configuration as never)).toThrow(words)
})

test.each([
  ['a Beta gate is on', 'Snapshot', {}, true],
  ['a Beta gate can be disabled', 'Snapshot', { disabledFeatureGates: ['Snapshot'] }, false],
  ['an Alpha gate is off', 'DirectContainerDisk', {}, false],
  ['an Alpha gate can be enabled', 'DirectContainerDisk', { featureGates: ['DirectContainerDisk'] }, true],
  ['enabled wins over disabled', 'Sidecar', { featureGates: ['Sidecar'], disabledFeatureGates: ['Sidecar'] }, true],
  ['a GA gate cannot be disabled', 'LiveMigration', { disabledFeatureGates: ['LiveMigration'] }, true],
  ['a discontinued gate is off', 'Passt', {}, false],
] as const)('%s', (_, gate, lists, expected) => {
  const developerConfiguration = {
    featureGates: [...('featureGates' in lists ? lists.featureGates : [])],
    disabledFeatureGates: [...('disabledFeatureGates' in lists ? lists.disabledFeatureGates : [])],
  }
  expect(isGateEnabled({ developerConfiguration }, gate)).toBe(expected)
})
