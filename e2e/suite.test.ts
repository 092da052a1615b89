import { describe } from '@jest/globals'
import { apiChapter } from './chapters/api.ts'
import { badInputChapter } from './chapters/bad-input.ts'
import { clientsChapter } from './chapters/clients.ts'
import { faultsChapter } from './chapters/faults.ts'
import { foreignClientsChapter } from './chapters/foreign.ts'
import { guestsChapter } from './chapters/guests.ts'
import { homesChapter } from './chapters/homes.ts'
import { hostDevicesChapter } from './chapters/host-devices.ts'
import { hotplugChapter } from './chapters/hotplug.ts'
import { installChapter } from './chapters/install.ts'
import { lifecycleChapter } from './chapters/lifecycle.ts'
import { migrationChapter } from './chapters/migration.ts'
import { networkChapter } from './chapters/network.ts'
import { probesChapter } from './chapters/probes.ts'
import { rolesChapter } from './chapters/roles.ts'
import { uninstallChapter } from './chapters/uninstall.ts'
import { upgradeChapter } from './chapters/upgrade.ts'

// One installation lives through the chapters in this order, as a user's does; so they share one file, and one worker.
describe('api', apiChapter)
describe('install', installChapter)
describe('roles', rolesChapter)
describe('lifecycle', lifecycleChapter)
describe('faults', faultsChapter)
describe('network', networkChapter)
describe('probes', probesChapter)
describe('migration', migrationChapter)
describe('guests', guestsChapter)
describe('homes', homesChapter)
describe('hotplug', hotplugChapter)
describe('host devices', hostDevicesChapter)
describe('bad input', badInputChapter)
describe('clients', clientsChapter)
describe('foreign clients', foreignClientsChapter)
describe('upgrade', upgradeChapter)
describe('uninstall', uninstallChapter)
