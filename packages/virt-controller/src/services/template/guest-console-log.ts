import type { Container } from '@kubevirt-ts/api'
import { launcherVerbosity } from './compute.ts'
import type { Draft } from './draft.ts'
import { helperResources } from './helper-resources.ts'
import type { Launch } from './launch.ts'
import { helperSecurityContext } from './security.ts'

/**
 * Prints what the guest writes to its serial console, so that `kubectl logs` shows it. A sidecar that starts before
 * the guest; where no init containers are wanted, an ordinary container that ends with compute.
 */
export function guestConsoleLog({ initContainers, containers }: Draft, launch: Launch): void {
  if (!isLogged(launch)) return
  if (launch.containerDisks === 'direct') containers.push(logContainer(launch))
  else initContainers.push({ ...logContainer(launch), restartPolicy: 'Always' })
}

function isLogged({ vmi, context }: Launch): boolean {
  const { autoattachSerialConsole, logSerialConsole } = vmi.spec.domain.devices
  if (autoattachSerialConsole === false) return false
  return logSerialConsole ?? context.configuration.virtualMachineOptions?.disableSerialConsoleLog === undefined
}

function logContainer(launch: Launch): Container {
  const { vmi, context } = launch
  const defaults = { requests: { cpu: '5m', memory: '35M' }, limits: { cpu: '15m', memory: '60M' } }
  return {
    name: 'guest-console-log',
    image: context.launcherImage,
    imagePullPolicy: context.configuration.imagePullPolicy,
    command: ['/usr/bin/virt-tail'],
    args: ['--logfile', `/var/run/kubevirt-private/${vmi.metadata.uid}/virt-serial0-log`],
    env: [{ name: 'VIRT_LAUNCHER_LOG_VERBOSITY', value: launcherVerbosity(launch) }],
    resources: helperResources('guest-console-log', defaults, launch),
    securityContext: helperSecurityContext(),
    volumeMounts: [{ name: 'private', mountPath: '/var/run/kubevirt-private', readOnly: true }],
  }
}
