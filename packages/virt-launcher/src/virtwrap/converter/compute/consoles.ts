import type { Configurator } from '../configurator.ts'

/** Serial console with its log, and the VNC display. */
export const consoles: Configurator = (domain, { vmi, context, arch }) => {
  const { devices, firmware } = vmi.spec.domain
  const socket = (name: string) => `${context.paths.consoles}/${name}`
  if (devices.autoattachSerialConsole !== false) {
    const logged = devices.logSerialConsole ?? !context.serialConsoleLogDisabled
    domain.devices.serial = [
      {
        $type: 'unix',
        target: { $port: '0' },
        source: { $mode: 'bind', $path: socket('virt-serial0') },
        log: logged ? { $file: socket('virt-serial0-log'), $append: 'on' } : undefined,
      },
    ]
    domain.devices.console = [{ $type: 'pty', target: { $type: 'serial', $port: '0' } }]
  }
  if (devices.autoattachGraphicsDevice === false) return
  domain.devices.graphics = [{ $type: 'vnc', listen: { $type: 'socket', $socket: socket('virt-vnc') } }]
  const bochs = firmware?.bootloader?.efi && arch.video === 'vga' && context.bochsDisplayForEfiGuests
  const type = devices.video?.type ?? (bochs ? 'bochs' : arch.video)
  const plain = devices.video?.type !== undefined || type === 'vga'
  domain.devices.video = [{ model: { $type: type, $heads: '1', $vram: plain ? '16384' : undefined } }]
}
