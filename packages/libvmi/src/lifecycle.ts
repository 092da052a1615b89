import type { Probe, VirtualMachineInstancePhase, VirtualMachineInstanceStatus } from '@kubevirt-ts/api'
import type { VmiPiece } from './piece.ts'

export function withGracePeriod(seconds: number): VmiPiece {
  return ({ spec }) => {
    spec.terminationGracePeriodSeconds = seconds
  }
}

export function withNodeSelector(selector: Record<string, string>): VmiPiece {
  return ({ spec }) => {
    spec.nodeSelector = { ...spec.nodeSelector, ...selector }
  }
}

export function withReadinessProbe(probe: Probe): VmiPiece {
  return ({ spec }) => {
    spec.readinessProbe = probe
  }
}

export function withLivenessProbe(probe: Probe): VmiPiece {
  return ({ spec }) => {
    spec.livenessProbe = probe
  }
}

export function withPhase(phase: VirtualMachineInstancePhase): VmiPiece {
  return withStatus({ phase })
}

export function withStatus(status: VirtualMachineInstanceStatus): VmiPiece {
  return (vmi) => {
    vmi.status = { ...vmi.status, ...status }
  }
}
