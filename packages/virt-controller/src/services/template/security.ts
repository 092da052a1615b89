import type { CustomProfile, EnvVar, PodSpec, SecurityContext } from '@kubevirt-ts/api'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** The user `qemu` of the launcher image. */
export const launcherUser = 107

/** Who the pod's processes are and what they may do. */
export function security({ compute, containers, spec }: Draft, launch: Launch): void {
  const { context, nonRoot } = launch
  compute.securityContext = computeSecurityContext(launch)
  const { selinuxLauncherType, seccompConfiguration } = context.configuration
  const profile = seccompConfiguration?.virtualMachineInstanceProfile?.customProfile
  spec.securityContext = {
    fsGroup: context.launcherSubGid,
    ...(nonRoot ? { runAsUser: launcherUser, runAsGroup: launcherUser, runAsNonRoot: true } : { runAsUser: 0 }),
    ...(selinuxLauncherType ? { seLinuxOptions: { type: selinuxLauncherType } } : {}),
    ...seccomp(profile),
  }
  if (!launch.isEnabled('DockerSELinuxMCSWorkaround')) return
  const level = { level: 's0', ...(selinuxLauncherType ? { type: selinuxLauncherType } : {}) }
  for (const container of containers)
    container.securityContext = { ...container.securityContext, seLinuxOptions: level }
}

function seccomp({ localhostProfile, runtimeDefaultProfile }: CustomProfile = {}): PodSpec['securityContext'] {
  if (localhostProfile !== undefined) return { seccompProfile: { type: 'Localhost', localhostProfile } }
  return runtimeDefaultProfile ? { seccompProfile: { type: 'RuntimeDefault' } } : {}
}

function computeSecurityContext(launch: Launch): SecurityContext {
  const context = launcherSecurityContext(launch)
  if (!launch.nonRoot) return { ...context, capabilities: { add: ['NET_BIND_SERVICE', 'SYS_NICE'] } }
  // The launcher answers the guest's DHCP requests, which needs a port below 1024.
  return { ...context, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }
}

/** Containers of the launcher image: user and group are fixed, nothing may be gained. */
export function launcherSecurityContext({ nonRoot }: Pick<Launch, 'nonRoot'>): SecurityContext {
  if (!nonRoot) return { runAsUser: 0, runAsNonRoot: false }
  return {
    runAsUser: launcherUser,
    runAsGroup: launcherUser,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  }
}

/** Helper containers, whose images may be the user's. */
export function helperSecurityContext(): SecurityContext {
  return {
    runAsUser: launcherUser,
    runAsNonRoot: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  }
}

/** Without a home folder libvirt must be told where it may write. */
export function nonRootEnvironment({ nonRoot }: Launch): EnvVar[] {
  if (!nonRoot) return []
  return [
    { name: 'XDG_CACHE_HOME', value: '/var/run/kubevirt-private' },
    { name: 'XDG_CONFIG_HOME', value: '/var/run/kubevirt-private' },
    { name: 'XDG_RUNTIME_DIR', value: '/var/run' },
  ]
}
