import type { Rule } from '../rule.ts'
import { accessCredentials } from './access-credentials.ts'
import { arm64, watchdog } from './architecture.ts'
import { cloudInit } from './cloud-init.ts'
import { containerDisks } from './container-disk.ts'
import {
  cpuFeaturePolicies,
  cpuResources,
  cpuSockets,
  dedicatedCpus,
  isolatedEmulatorThread,
  numa,
  realtime,
} from './cpu.ts'
import {
  gpuDisplays,
  gpus,
  hostDevices,
  inputs,
  panicDevices,
  persistentReservation,
  resourceClaims,
  sound,
  video,
  vsock,
} from './devices.ts'
import { bootOrders, diskNames, disks, diskVolumes, ioThreads } from './disks.ts'
import { dns } from './dns.ts'
import { hyperv } from './features.ts'
import { acpiTables, bootloader, firmwareSerial, kernelBoot, secureBoot } from './firmware.ts'
import { discontinuedFeatures } from './gates.ts'
import { interfaces } from './interfaces.ts'
import { launchSecurity } from './launch-security.ts'
import { evictionStrategy, probes, startStrategy } from './lifecycle.ts'
import { machineType, rebootPolicy } from './machine.ts'
import { guestWithinLimit, hugePages, memoryLimit, memoryRequest, reservedOverhead } from './memory.ts'
import { gatedAnnotationsAllowed, reservedLabelsUnused } from './metadata.ts'
import { hostname, subdomain } from './naming.ts'
import { claimedNetworks, defaultNetwork, networkKinds, networkPairs } from './network.ts'
import { affinity, topologySpread } from './placement.ts'
import {
  containerPaths,
  downwardMetrics,
  filesystems,
  hostDisks,
  serviceAccount,
  singletonVolumes,
  utilityVolumes,
  volumeNames,
  volumeReferences,
  volumeSources,
} from './volumes.ts'

/** What a VMI's spec and metadata must be like, whether the VMI stands alone or is a VM's template. */
export const specRules: readonly Rule[] = [
  reservedLabelsUnused,
  gatedAnnotationsAllowed,
  discontinuedFeatures,
  hostname,
  subdomain,
  memoryRequest,
  memoryLimit,
  guestWithinLimit,
  hugePages,
  reservedOverhead,
  cpuResources,
  cpuFeaturePolicies,
  cpuSockets,
  isolatedEmulatorThread,
  dedicatedCpus,
  numa,
  realtime,
  machineType,
  rebootPolicy,
  bootloader,
  secureBoot,
  firmwareSerial,
  kernelBoot,
  acpiTables,
  diskNames,
  disks,
  diskVolumes,
  bootOrders,
  ioThreads,
  volumeNames,
  volumeSources,
  singletonVolumes,
  volumeReferences,
  cloudInit,
  containerDisks,
  hostDisks,
  downwardMetrics,
  containerPaths,
  utilityVolumes,
  serviceAccount,
  filesystems,
  networkKinds,
  defaultNetwork,
  networkPairs,
  claimedNetworks,
  interfaces,
  inputs,
  evictionStrategy,
  startStrategy,
  probes,
  dns,
  affinity,
  topologySpread,
  accessCredentials,
  video,
  sound,
  panicDevices,
  vsock,
  hostDevices,
  gpus,
  gpuDisplays,
  resourceClaims,
  persistentReservation,
  arm64,
  watchdog,
  hyperv,
  launchSecurity,
]
