import { isGateEnabled } from '@kubevirt-ts/virt-config'
import { asDeclared } from './declared-volumes.ts'
import type { Step } from './step.ts'

/** Hot-pluggable volumes come and go with the template, unless they are plugged in and out by requests. */
export const volumes: Step = (spec, { vmi, template, configuration }) => {
  const isDeclarative =
    isGateEnabled(configuration, 'DeclarativeHotplugVolumes') && !isGateEnabled(configuration, 'HotplugVolumes')
  if (!isDeclarative) return { spec }
  const declared = asDeclared(template, vmi)
  return {
    spec: {
      ...spec,
      volumes: declared.volumes,
      domain: { ...spec.domain, devices: { ...spec.domain.devices, disks: declared.disks } },
    },
  }
}
