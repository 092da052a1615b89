/** What each subresource takes; those that are not named here take nothing. */
const bodies: Readonly<Record<string, string>> = {
  start: 'StartOptions',
  stop: 'StopOptions',
  restart: 'RestartOptions',
  migrate: 'MigrateOptions',
  pause: 'PauseOptions',
  unpause: 'UnpauseOptions',
  freeze: 'FreezeUnfreezeTimeout',
  addvolume: 'AddVolumeOptions',
  removevolume: 'RemoveVolumeOptions',
  memorydump: 'VirtualMachineMemoryDumpRequest',
  'evacuate/cancel': 'EvacuateCancelOptions',
  'sev/setupsession': 'SEVSessionOptions',
}

/** The types of all bodies. */
export const bodyTypes: readonly string[] = [...new Set(Object.values(bodies))]

export const bodyOf = (subresource: string): string | undefined => bodies[subresource]
