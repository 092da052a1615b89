import type { Logger } from '@kubevirt-ts/service'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { StateFolder } from '../../../host/state-folder.ts'
import { mediatedDevices, mediatedTypeName } from '../permitted/mediated.ts'
import { attribute, entries } from '../permitted/sysfs.ts'
import type { DesiredTypes } from './desired.ts'
import { devicesToCreate, devicesToRemove, type SupportedType } from './plan.ts'

/** What is known of a mediated device that virt-handler made. */
export interface MadeDevice {
  readonly uuid: string
}

export interface MediatedTypesDeps {
  readonly sysfs: string
  /** Outlives virt-handler, not the node's boot; neither do the devices. */
  readonly records: StateFolder<MadeDevice>
  readonly groupsInUse: () => Promise<ReadonlySet<string>>
  readonly log: Logger
}

/** Makes the mediated devices that are desired and removes others. What fails is logged; the next call tries again. */
export async function configureMediatedTypes(desired: DesiredTypes, deps: MediatedTypesDeps): Promise<void> {
  const { sysfs, records, log } = deps
  const supported = await supportedTypes(sysfs)
  const devices = await mediatedDevices(sysfs)
  if (supported.length === 0 && devices.length === 0) return
  const made = new Set((await records.all()).map(({ uuid }) => uuid))
  const unwanted = devicesToRemove(desired, { devices, made, inUse: new Set() })
  const inUse = unwanted.length > 0 ? await deps.groupsInUse() : new Set<string>()
  for (const { uuid, typeName } of devicesToRemove(desired, { devices, made, inUse })) {
    log.info({ uuid, type: typeName }, 'a mediated device is removed')
    await attempt(deps, () => writeFile(`${sysfs}/bus/mdev/devices/${uuid}/remove`, '1'))
  }
  const left = await mediatedDevices(sysfs)
  const gone = [...made].filter((uuid) => left.every((device) => device.uuid !== uuid))
  for (const uuid of gone) await records.remove(uuid)
  for (const { parent, typeId, count } of devicesToCreate(desired, left, await supportedTypes(sysfs))) {
    log.info({ parent, type: typeId, count }, 'mediated devices are made')
    for (let index = 0; index < count; index++) await attempt(deps, () => makeDevice(deps, parent, typeId))
  }
}

/** It is known as ours before it is there: one that nobody knows would stay for ever. */
async function makeDevice({ sysfs, records }: MediatedTypesDeps, parent: string, typeId: string): Promise<void> {
  const uuid = randomUUID()
  await records.write(uuid, { uuid })
  await writeFile(`${sysfs}/class/mdev_bus/${parent}/mdev_supported_types/${typeId}/create`, uuid)
}

async function attempt({ log }: MediatedTypesDeps, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ error }, 'the mediated devices of this node could not be changed as configured')
  }
}

async function supportedTypes(sysfs: string): Promise<SupportedType[]> {
  const folder = `${sysfs}/class/mdev_bus`
  const types = (await entries(folder)).map(async (parent) => {
    const own = `${folder}/${parent}/mdev_supported_types`
    return Promise.all(
      (await entries(own)).map(async (typeId) => ({
        parent,
        typeId,
        typeName: mediatedTypeName((await attribute(`${own}/${typeId}/name`)) ?? typeId),
        available: Number((await attribute(`${own}/${typeId}/available_instances`)) ?? 0),
      })),
    )
  })
  return (await Promise.all(types)).flat()
}
