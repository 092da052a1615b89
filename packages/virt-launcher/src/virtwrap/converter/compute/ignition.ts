import type { Configurator } from '../configurator.ts'

/** First-boot configuration of CoreOS guests, which read it from the firmware. Admission asks for the gate. */
export const ignition: Configurator = (domain, { vmi, context }) => {
  if (!vmi.metadata.annotations?.['kubevirt.io/ignitiondata']?.includes('ignition')) return
  const file = `${context.paths.ignition}/data.ign`
  const values = ['-fw_cfg', `name=opt/com.coreos/config,file=${file}`]
  domain['qemu:commandline'] = { 'qemu:arg': values.map((value) => ({ $value: value })) }
}
