export type DomainOs = {
  $firmware?: string
  type: { $arch?: string; $machine?: string; _: string }
  firmware?: { feature: { $name: string; $enabled: string }[] }
  loader?: { $readonly?: string; $secure?: string; $type?: string; $stateless?: string; _: string }
  nvram?: { $template?: string; $templateFormat?: string; _: string }
  kernel?: string
  initrd?: string
  cmdline?: string
  acpi?: { table: { $type: string; _: string }[] }
  smbios?: { $mode: string }
  bios?: { $useserial?: string }
  bootmenu?: { $enable: string; $timeout?: string | number }
}

export type SysinfoEntry = { $name: string; _?: string }

export type Sysinfo = {
  $type: string
  system?: { entry: SysinfoEntry[] }
  bios?: { entry?: SysinfoEntry[] }
  baseBoard?: { entry?: SysinfoEntry[] }
  chassis?: { entry?: SysinfoEntry[] }
}
