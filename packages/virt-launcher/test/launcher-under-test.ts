import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from '@jest/globals'
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { createLogger, Lane, parseOptions } from '@kubevirt-ts/service'
import type { Domain } from '@kubevirt-ts/domain'
import { createCmdClient, encodeVmi, serveCmd, type CmdClient, type RpcServer } from '@kubevirt-ts/handler-launcher-com'
import { fakeLibvirt, type FakeLibvirt } from '@kubevirt-ts/libvirt/testing'
import { vmi } from '@kubevirt-ts/libvmi'
import { hooksOf } from '../src/hooks/index.ts'
import { cmdHandlers } from '../src/cmd-server/handlers.ts'
import type { LibvirtAccess } from '../src/daemons/libvirt-access.ts'
import { launcherOptions } from '../src/options.ts'
import { placesOf } from '../src/places.ts'
import type { Launcher } from '../src/virtwrap/launcher.ts'

let folder: string
/** Of the test that runs. */
export let libvirt: FakeLibvirt
export let launcher: Launcher
let server: RpcServer
/** virt-handler's side of the launcher. */
export let client: CmdClient

export const guest = vmi()
guest.metadata.name = 'vm'
guest.metadata.namespace = 'ns'
guest.metadata.uid = 'u'
guest.spec.domain.memory = { guest: '64Mi' }
guest.spec.domain.machine = { type: 'q35' }
guest.spec.architecture = 'amd64'
export const request = { vmi: encodeVmi(guest) }

/** A tap for each card, as virt-handler makes them. */
const taps = ({ spec }: VirtualMachineInstance): [string, { tap: string }][] =>
  (spec.domain.devices.interfaces ?? []).map(({ name }, index) => [name, { tap: `tap${index}` }])

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'))
  libvirt = fakeLibvirt()
  const argv =
    `--name vm --namespace ns --uid u --allow-emulation --kubevirt-share-dir ${folder} --hotplug-disk-dir ${folder}/hotplug`.split(
      ' ',
    )
  const options = parseOptions(launcherOptions, argv, {})
  launcher = {
    options,
    places: placesOf(options, { XDG_RUNTIME_DIR: folder }),
    log: createLogger({ component: 'test', destination: { write() {} } }),
    libvirt: accessTo(libvirt),
    changes: new Lane(),
    network: { prepare: async (vmi) => new Map(taps(vmi)), release: () => {} },
    state: { pausedByUser: false, facts: {}, agent: {} },
    credentials: { follow: () => {} },
    downwardMetrics: { follow: () => {} },
    hooks: hooksOf(Promise.resolve([]), createLogger({ component: 'test', destination: { write() {} } })),
    onFacts: () => {},
  }
  const socket = join(folder, 'sock')
  server = await serveCmd(socket, cmdHandlers(launcher))
  client = createCmdClient(socket)
})
afterEach(async () => {
  client.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

function accessTo(connection: FakeLibvirt): LibvirtAccess {
  const use: LibvirtAccess['ask'] = async (task) => task(await connection.lookupByName('ns_vm'), connection)
  return { change: use, ask: use, askAgent: use, move: use, reach: async () => connection, close: async () => {} }
}

export const ok = { success: true, message: '' }

/** The domain as virt-handler hears of it. */
export async function reported(): Promise<Domain | undefined> {
  const { domain } = await client.getDomain({})
  return domain === '' ? undefined : (JSON.parse(domain) as Domain)
}
