import type { KubeVirt } from '@kubevirt-ts/api'
import { invalid } from '../cause.ts'
import { changed } from './rule.ts'
import type { KubeVirtRule } from './rule.ts'

const field = 'spec.configuration.seccompConfiguration.virtualMachineInstanceProfile.customProfile'

/** A profile of the system calls of launchers is one of two. */
export const seccomp: KubeVirtRule = (given) => {
  const profile = changed(profileOf, given)
  if (!profile) return []
  const { customProfile } = profile
  if (!customProfile) {
    return [invalid(field, `${field} needs to be set; write localhostProfile or runtimeDefaultProfile in it`)]
  }
  if (customProfile.localhostProfile === undefined || !customProfile.runtimeDefaultProfile) return []
  const names = ['localhostProfile', 'runtimeDefaultProfile'].map((name) => `${field}.${name}`)
  return names.map((name, index) => invalid(name, `${name} cannot be set when ${names[1 - index]} is set; remove one`))
}

const profileOf = ({ spec }: KubeVirt) => spec.configuration?.seccompConfiguration?.virtualMachineInstanceProfile
