/** What libvirt's QEMU driver is told: everything that the pod already does is turned off. */
export function qemuConf({ user, sharedFilesystems }: { user: string; sharedFilesystems: readonly string[] }): string {
  const lines = {
    // The serial log is written by QEMU itself; a log daemon would cost memory for each guest.
    stdio_handler: '"file"',
    vnc_listen: '"0.0.0.0"',
    vnc_tls: '0',
    vnc_sasl: '0',
    user: `"${user}"`,
    group: `"${user}"`,
    dynamic_ownership: '0',
    remember_owner: '0',
    namespaces: '[ ]',
    cgroup_controllers: '[ ]',
    security_driver: '"none"',
    max_core: '"unlimited"',
    ...(sharedFilesystems.length > 0
      ? { shared_filesystems: `[ ${sharedFilesystems.map((path) => JSON.stringify(path)).join(', ')} ]` }
      : {}),
  }
  return toLines(lines)
}

/** What the daemon itself is told. With filters it logs all that they let through, else warnings and errors. */
export function daemonConf({ logFilters, hostUuid }: { logFilters: string; hostUuid: string }): string {
  return toLines({
    listen_tls: '0',
    listen_tcp: '0',
    // Two launchers on one machine are two hosts to libvirt, or it would refuse to move a guest between them.
    host_uuid: JSON.stringify(hostUuid),
    log_outputs: logFilters === '' ? '"3:stderr"' : '"1:stderr"',
    ...(logFilters === '' ? {} : { log_filters: JSON.stringify(logFilters) }),
    // One guest needs few hands.
    min_workers: '2',
    max_workers: '6',
    prio_workers: '2',
    admin_min_workers: '1',
    admin_max_workers: '1',
  })
}

function toLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')
}
