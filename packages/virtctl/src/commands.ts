import type { CommandDefinition } from './command.ts'

/** A command in the list: what help says of it, and where the rest is, which is read when it is called. */
export interface ListedCommand {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandDefinition>
}

const listed = (name: string, summary: string, load: ListedCommand['load']): ListedCommand => ({ name, summary, load })

/** Every command, in the order of the help. A file is loaded for the command line that needs it: a start is short. */
export const commands: readonly ListedCommand[] = [
  listed('start', 'Start a virtual machine.', async () => (await import('./vm/start.ts')).start),
  listed('stop', 'Stop a virtual machine.', async () => (await import('./vm/stop.ts')).stop),
  listed('restart', 'Restart a virtual machine.', async () => (await import('./vm/restart.ts')).restart),
  listed('migrate', 'Migrate a virtual machine.', async () => (await import('./vm/migrate.ts')).migrate),
  listed(
    'migrate-cancel',
    'Cancel migration of a virtual machine.',
    async () => (await import('./vm/migrate.ts')).migrateCancel,
  ),
  listed(
    'evacuate-cancel',
    'Cancel evacuation of a virtual machine.',
    async () => (await import('./vm/evacuate-cancel.ts')).evacuateCancel,
  ),
  listed(
    'drain-plan',
    'Say what a drain of a node does to its virtual machines, before anything moves.',
    async () => (await import('./drain-plan/drain-plan.ts')).drainPlan,
  ),
  listed('pause', 'Pause a virtual machine.', async () => (await import('./pause/pause.ts')).pause),
  listed('unpause', 'Unpause a virtual machine.', async () => (await import('./pause/pause.ts')).unpause),
  listed(
    'soft-reboot',
    'Soft reboot a virtual machine instance.',
    async () => (await import('./guest/reboot.ts')).softReboot,
  ),
  listed('reset', 'Reset a virtual machine instance.', async () => (await import('./guest/reboot.ts')).reset),
  listed(
    'console',
    'Connect to a console of a virtual machine instance.',
    async () => (await import('./console/console.ts')).consoleCommand,
  ),
  listed('vnc', 'Open a vnc connection to a virtual machine instance.', async () => (await import('./vnc/vnc.ts')).vnc),
  listed(
    'vnc screenshot',
    'Take a picture of the screen of a virtual machine instance.',
    async () => (await import('./vnc/screenshot.ts')).screenshot,
  ),
  listed(
    'usbredir',
    'Redirect a local USB device to a virtual machine instance.',
    async () => (await import('./usbredir/usbredir.ts')).usbredir,
  ),
  listed(
    'ssh',
    'Open a SSH connection to a virtual machine, with the local ssh.',
    async () => (await import('./ssh/ssh.ts')).ssh,
  ),
  listed(
    'scp',
    'Copy files to or from a virtual machine, with the local scp.',
    async () => (await import('./ssh/scp.ts')).scp,
  ),
  listed(
    'port-forward',
    'Forward local ports to a virtual machine or virtual machine instance.',
    async () => (await import('./portforward/portforward.ts')).portForward,
  ),
  listed(
    'expose',
    'Expose a virtual machine, an instance or a replica set as a new service.',
    async () => (await import('./expose/expose.ts')).expose,
  ),
  listed(
    'addvolume',
    'Add a volume to a running virtual machine.',
    async () => (await import('./volume/volumes.ts')).addVolume,
  ),
  listed(
    'removevolume',
    'Remove a volume from a running virtual machine.',
    async () => (await import('./volume/volumes.ts')).removeVolume,
  ),
  listed(
    'guestosinfo',
    'Return information about the operating system from the guest agent.',
    async () => (await import('./guest/info.ts')).guestOsInfo,
  ),
  listed(
    'userlist',
    'Return the list of logged in users from the guest agent.',
    async () => (await import('./guest/info.ts')).userList,
  ),
  listed(
    'fslist',
    'Return the list of file systems from the guest agent.',
    async () => (await import('./guest/info.ts')).fsList,
  ),
  listed('create vm', 'Print a manifest of a virtual machine.', async () => (await import('./create/vm.ts')).createVm),
  listed(
    'create instancetype',
    'Print a manifest of an instance type.',
    async () => (await import('./create/instancetype.ts')).createInstancetype,
  ),
  listed(
    'create preference',
    'Print a manifest of a preference.',
    async () => (await import('./create/instancetype.ts')).createPreference,
  ),
  listed(
    'create clone',
    'Print a manifest that clones a virtual machine.',
    async () => (await import('./create/clone.ts')).createClone,
  ),
  listed(
    'credentials add-ssh-key',
    'Let the holder of a key log in to a virtual machine.',
    async () => (await import('./credentials/ssh-key.ts')).addSshKey,
  ),
  listed(
    'credentials remove-ssh-key',
    'Take the right to log in to a virtual machine from the holder of a key.',
    async () => (await import('./credentials/ssh-key.ts')).removeSshKey,
  ),
  listed(
    'credentials set-password',
    'Set the password of a user of a virtual machine.',
    async () => (await import('./credentials/password.ts')).setPassword,
  ),
  listed(
    'expand',
    'Print a virtual machine with its instance type and preference written into it.',
    async () => (await import('./expand/expand.ts')).expand,
  ),
  listed(
    'objectgraph',
    'Print the objects that a virtual machine is made of and needs.',
    async () => (await import('./expand/objectgraph.ts')).objectGraph,
  ),
  listed(
    'permitted-devices',
    'List the devices of nodes that virtual machines may have.',
    async () => (await import('./devices/permitted-devices.ts')).permittedDevices,
  ),
  listed(
    'adm log-verbosity',
    'Show, set or reset how much the components log.',
    async () => (await import('./adm/log-verbosity.ts')).logVerbosity,
  ),
  listed(
    'memory-dump get',
    'Dump the memory of a running virtual machine into a claim.',
    async () => (await import('./memory-dump/memory-dump.ts')).getMemoryDump,
  ),
  listed(
    'memory-dump remove',
    'Let go of the claim that memory was dumped into; the claim stays.',
    async () => (await import('./memory-dump/memory-dump.ts')).removeMemoryDump,
  ),
  listed(
    'image-upload',
    'Upload a virtual machine image to a DataVolume or claim.',
    async () => (await import('./image-upload/image-upload.ts')).imageUpload,
  ),
  listed(
    'why',
    'Say why a virtual machine is not running, not ready or can not migrate.',
    async () => (await import('./why/why.ts')).why,
  ),
  listed(
    'top',
    'Show what virtual machines use of CPU, memory, disks and network.',
    async () => (await import('./top/top.ts')).top,
  ),
  listed(
    'render',
    'Print what a virtual machine becomes, without a cluster.',
    async () => (await import('./render/render.ts')).render,
  ),
  listed(
    'home',
    'Show and change the node where a virtual machine lives.',
    async () => (await import('./home/home.ts')).home,
  ),
  listed(
    'vmexport',
    'Export a volume of a virtual machine. Not in this release.',
    async () => (await import('./unavailable/unavailable.ts')).vmExport,
  ),
  listed(
    'memory-dump download',
    'Download a memory dump. Not in this release.',
    async () => (await import('./unavailable/unavailable.ts')).downloadMemoryDump,
  ),
  listed(
    'guestfs',
    'Look into the disks of a claim with the tools of libguestfs.',
    async () => (await import('./guestfs/guestfs.ts')).guestFs,
  ),
  listed(
    'template process',
    'Print, or create, the virtual machine that a template describes.',
    async () => (await import('./template/process.ts')).processTemplate,
  ),
  listed(
    'template convert',
    'Print a Template of OpenShift as a VirtualMachineTemplate.',
    async () => (await import('./template/convert.ts')).convertTemplate,
  ),
  listed(
    'template create',
    'Ask KubeVirt’s add-on virt-template for a template of a virtual machine.',
    async () => (await import('./template/create.ts')).createTemplate,
  ),
  listed(
    'version',
    'Print the client and server version information.',
    async () => (await import('./version/version.ts')).version,
  ),
  listed(
    'completion',
    'Print a script that completes commands and flags in a shell.',
    async () => (await import('./completion/completion.ts')).completion,
  ),
]

/** The commands that a first word can mean: one, or all of a group. */
export const commandsOf = (word: string): readonly ListedCommand[] =>
  commands.filter(({ name }) => name.split(' ', 1)[0] === word)
