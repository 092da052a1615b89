import type { Container, PodSpec, PodVolume, VolumeMount } from '@kubevirt-ts/api'

/** The pod while it is being rendered; every renderer adds its concern. */
export interface Draft {
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
  readonly compute: Container & {
    readonly args: string[]
    readonly env: NonNullable<Container['env']>
    readonly volumeMounts: VolumeMount[]
    readonly volumeDevices: NonNullable<Container['volumeDevices']>
  }
  /** Beside compute, in the order of their start. */
  readonly containers: Container[]
  readonly initContainers: Container[]
  readonly volumes: PodVolume[]
  /** Names of pull secrets, each once. */
  readonly pullSecrets: Set<string>
  /** All other fields of the pod. */
  readonly spec: Partial<PodSpec>
}

export function emptyDraft(): Draft {
  return {
    labels: {},
    annotations: {},
    compute: { name: 'compute', args: [], env: [], volumeMounts: [], volumeDevices: [] },
    containers: [],
    initContainers: [],
    volumes: [],
    pullSecrets: new Set(),
    spec: {},
  }
}

/** Adds a volume once, however many need it. */
export function addVolume({ volumes }: Draft, volume: PodVolume): void {
  if (!volumes.some(({ name }) => name === volume.name)) volumes.push(volume)
}
