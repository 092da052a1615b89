import { expect, test } from '@jest/globals'
import type { VirtualMachineInstanceSpec } from '@kubevirt-ts/api'
import { specWarnings } from './warnings.ts'

const warned = (devices: object, more: object = {}, memory: object = { guest: '64Mi' }) =>
  specWarnings({ domain: { devices, memory }, ...more } as VirtualMachineInstanceSpec, 'spec')
const volumes = [{ name: 'v', emptyDisk: { capacity: '1Gi' } }]

test.each<[string, string[], RegExp[]]>([
  [
    'an ordinary guest',
    warned({ disks: [{ name: 'v', disk: {} }], watchdog: { name: 'w', i6300esb: {} } }, { volumes }),
    [],
  ],
  [
    'a filesystem of nothing',
    warned({ filesystems: [{ name: 'v', virtiofs: {} }] }),
    [/filesystems\[0\]: there is no volume v/],
  ],
  [
    'a volume shown twice',
    warned({ disks: [{ name: 'v', disk: {} }], filesystems: [{ name: 'v', virtiofs: {} }] }, { volumes }),
    [/disks\[0\]: volume v is shared as a filesystem, too/],
  ],
  [
    'a tray that is ajar',
    warned({ disks: [{ name: 'v', cdrom: { tray: 'ajar' } }] }, { volumes }),
    [/tray: ajar is unknown; use/],
  ],
  [
    'a watchdog that barks',
    warned({ watchdog: { name: 'w', i6300esb: { action: 'bark' } } }),
    [/action bark is unknown; use/],
  ],
  ['no memory', warned({}, {}, { guest: '0' }), [/without memory/]],
])('%s', (_, warnings, expected) => {
  expect(warnings).toEqual(expected.map((each) => expect.stringMatching(each)))
})
