import { expect, test } from '@jest/globals'
import { condition, healthy, seen, vmi } from '../../test/machines.ts'
import { report } from './report.ts'

test('a machine that runs well has nothing in its way', () => {
  const found = report(seen(healthy))
  expect([found.running, found.ready, found.migratable]).toEqual(Array(3).fill({ yes: true, because: [] }))
  expect(found.chain.map(({ kind }) => kind)).toEqual(['VM', 'VMI', 'Pod', 'Node', 'Domain'])
  expect(found.chain.flatMap(({ facts }) => facts)).toEqual([])
})

test('a machine that can not move says why, and still runs', () => {
  const conditions = [
    condition('Ready', 'True'),
    condition('LiveMigratable', 'False', 'DisksNotLiveMigratable', 'a disk is local'),
  ]
  const found = report(seen({ ...healthy, vmi: vmi('Running', conditions) }))
  expect(found.ready.yes).toBe(true)
  expect(found.migratable).toMatchObject({
    yes: false,
    because: [{ reason: 'DisksNotLiveMigratable', what: 'a disk is local' }],
  })
})
