/**
 * The pure door: what a VMI becomes, without a client, files or native code. `virt-render` and tests use it.
 */
export { renderLaunchPod, stateClaimOf } from './services/template/index.ts'
export type { LauncherSettings, TemplateContext } from './services/template/index.ts'
export { migrationTarget } from './services/template/migration-target.ts'
export { startRevisionName } from './watch/vm/revisions.ts'
export { machineOf } from './watch/vm/instancetype/machine.ts'
export { vmiFromVm } from './watch/vm/vmi-from-vm.ts'
