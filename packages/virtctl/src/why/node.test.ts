import { expect, test } from '@jest/globals'
import { firstCause, healthy, minutesAgo, node, vmi } from '../../test/machines.ts'

test('a machine that is on a node that went silent says so', () => {
  const given = { ...healthy, vmi: vmi('Scheduled'), node: node({ 'kubevirt.io/heartbeat': minutesAgo(9) }) }
  expect(firstCause(given)).toMatchObject({ reason: 'NoHeartbeat', since: minutesAgo(9) })
})
