import { expect, test } from '@jest/globals'
import type { PersistentVolumeClaim, VirtualMachineInstance, Volume } from '@kubevirt-ts/api'
import { vmi, withPersistentVolumeClaim, withStatus } from '@kubevirt-ts/libvmi'
import { noStorage } from '../../storage/no-storage.ts'
import { volumeUpdate } from './update.ts'

const namespace = 'default'

function claim(name: string, more: Partial<PersistentVolumeClaim['spec']> & { size?: string; phase?: string } = {}) {
  const { size = '1Gi', phase = 'Bound', ...spec } = more
  return {
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', ...spec },
    status: { phase, capacity: { storage: size } },
  } as PersistentVolumeClaim
}

const on = (claimName: string, name = 'data'): Volume => ({ name, persistentVolumeClaim: { claimName } })

const migratable = { type: 'LiveMigratable', status: 'True' } as const
const fixed = {
  type: 'LiveMigratable',
  status: 'False',
  reason: 'DisksNotLiveMigratable',
  message: 'not shared',
} as const

function guest(change: (object: VirtualMachineInstance) => void = () => undefined, conditions: object[] = [fixed]) {
  const status = { phase: 'Running', conditions: conditions as never }
  return vmi(withPersistentVolumeClaim('data', 'old'), withStatus(status), (object) => {
    object.metadata.namespace = namespace
    change(object)
  })
}

function updateOf(
  running: VirtualMachineInstance,
  volumes: Volume[],
  { claims = [claim('old'), claim('new')], isMoving = false } = {},
) {
  const find = (name: string) => claims.find(({ metadata }) => metadata.name === name)
  return volumeUpdate({ ...noStorage, claim: find, vmi: running, volumes, isMoving })
}

const moved = {
  volumeName: 'data',
  sourcePVCInfo: {
    claimName: 'old',
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    capacity: { storage: '1Gi' },
  },
  destinationPVCInfo: {
    claimName: 'new',
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    capacity: { storage: '1Gi' },
  },
}

test('a volume of which the template names another claim moves there, told from where to where', () => {
  expect(updateOf(guest(), [on('new')])).toEqual({ kind: 'move', volumes: [on('new')], migrated: [moved] })
})

test('to a DataVolume of that name too; volumes that stay stay', () => {
  const running = guest((object) => object.spec.volumes?.unshift({ name: 'root', containerDisk: { image: 'x' } }))
  const wanted = { name: 'data', dataVolume: { name: 'new' } }
  expect(updateOf(running, [{ name: 'root', containerDisk: { image: 'x' } }, wanted])).toMatchObject({
    kind: 'move',
    volumes: [{ name: 'root' }, wanted],
  })
})

test('volumes that are as the guest has them ask for nothing, nor does one that is plugged in', () => {
  expect(updateOf(guest(), [on('old')])).toEqual({ kind: 'none' })
  const plugged = { name: 'data', persistentVolumeClaim: { claimName: 'new', hotpluggable: true } }
  expect(updateOf(guest(), [plugged])).toEqual({ kind: 'none' })
})

test('while the guest moves for another reason its volumes wait', () => {
  expect(updateOf(guest(), [on('new')], { isMoving: true })).toEqual({ kind: 'none' })
})

const disk = (more: object) => (object: VirtualMachineInstance) =>
  void (object.spec.domain.devices.disks = [{ name: 'data', ...more }])

test.each<[what: string, change: (object: VirtualMachineInstance) => void, word: string]>([
  ['a shared disk', disk({ disk: {}, shareable: true }), 'shared with other guests'],
  ['a LUN', disk({ lun: {} }), 'a LUN'],
  ['a CD-ROM', disk({ cdrom: {} }), 'a CD-ROM'],
  ['a folder', (object) => void (object.spec.domain.devices.disks = []), 'no disk'],
])('%s only gets another claim by a restart', (_, change, word) => {
  expect(updateOf(guest(change), [on('new')])).toEqual({ kind: 'restart', message: expect.stringContaining(word) })
})

test.each<[what: string, kind: 'restart' | 'refused', target: PersistentVolumeClaim | undefined, word: string]>([
  ['that is smaller', 'restart', claim('new', { size: '512Mi' }), 'smaller'],
  ['of another mode', 'restart', claim('new', { volumeMode: 'Block' }), 'mode Block'],
  ['that does not exist', 'refused', undefined, 'does not exist'],
  ['that is not bound', 'refused', claim('new', { phase: 'Pending' }), 'not bound'],
])('nothing is moved to a claim %s', (_, kind, target, word) => {
  const claims = [claim('old'), ...(target === undefined ? [] : [target])]
  expect(updateOf(guest(), [on('new')], { claims })).toEqual({ kind, message: expect.stringContaining(word) })
})

test('a guest that cannot move for another reason keeps its volumes until its restart', () => {
  const bridged = { ...fixed, reason: 'InterfaceNotLiveMigratable', message: 'its bridge' }
  expect(updateOf(guest(undefined, [bridged]), [on('new')])).toMatchObject({ kind: 'restart' })
  expect(updateOf(guest(undefined, []), [on('new')])).toMatchObject({ kind: 'refused' })
  expect(updateOf(guest(undefined, [migratable]), [on('new')])).toMatchObject({ kind: 'move' })
})

test('a volume that its node alone has must move along', () => {
  const both = guest((object) => {
    object.spec.volumes?.push(on('other', 'more'))
    object.status!.volumeStatus = [
      { name: 'more', target: '', persistentVolumeClaimInfo: { accessModes: ['ReadWriteOnce'] } },
    ]
  })
  expect(updateOf(both, [on('new'), on('other', 'more')])).toEqual({
    kind: 'restart',
    message: expect.stringContaining('volume more'),
  })
})

const underWay = (...conditions: object[]) =>
  guest((object) => {
    object.spec.volumes = [on('new')]
    object.status!.migratedVolumes = [moved] as never
  }, conditions)
const cancelled = { type: 'VolumesChange', status: 'False', reason: 'VolumesChangeCancellation' }

test('what is under way goes on, and can only be taken back', () => {
  expect(updateOf(underWay(), [on('new')])).toEqual({ kind: 'none' })
  expect(updateOf(underWay(), [on('third')])).toEqual({ kind: 'refused', message: expect.stringContaining('set back') })
  expect(updateOf(underWay(), [on('old')])).toEqual({ kind: 'cancel' })
})

test('a move that was taken back ends first, then the guest gets its volumes back', () => {
  expect(updateOf(underWay(cancelled), [on('old')], { isMoving: true })).toEqual({ kind: 'cancel' })
  expect(updateOf(underWay(cancelled), [on('old')])).toEqual({ kind: 'revert', volumes: [on('old')] })
})

test('whoever wants it after all gets a new move', () => {
  expect(updateOf(underWay(cancelled), [on('new')], { isMoving: true })).toEqual({ kind: 'none' })
  expect(updateOf(underWay(cancelled), [on('new')])).toEqual({ kind: 'move', volumes: [on('new')], migrated: [moved] })
})
