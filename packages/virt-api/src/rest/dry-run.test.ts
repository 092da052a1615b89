import { expect, test } from '@jest/globals'
import { isDryRun } from './dry-run.ts'

test.each([
  [{}, {}, false],
  [{}, { dryRun: [] }, false],
  [{}, { dryRun: null }, false],
  [{}, { dryRun: ['All'] }, true],
  [{}, { DRYRUN: ['All'] }, true],
  [{}, { dryRun: 'All' }, true],
  [{ dryRun: 'All' }, {}, true],
  [{ dryRun: ['All', 'All'] }, {}, true],
  [{ timeout: '10s' }, { paused: true }, false],
])('%j in the address and %j in the body: %s', (query, body, expected) => {
  expect(isDryRun(query, body)).toBe(expected)
})

test.each([
  [{ dryRun: 'true' }, {}],
  [{ dryRun: '' }, {}],
  [{}, { dryRun: ['all'] }],
  [{ dryRun: 'All' }, { dryRun: ['None'] }],
])('%j in the address and %j in the body is refused: nobody knows what is not to be done', (query, body) => {
  expect(() => isDryRun(query, body)).toThrow(
    expect.objectContaining({ code: 422, message: expect.stringContaining('supported values: "All"') }),
  )
})

test.each([[{ dryRun: 7 }], [{ dryRun: { All: 1 } }], [{ dryRun: [null] }]])(
  '%j is for the reader of the options to refuse',
  (body) => {
    expect(isDryRun({}, body)).toBe(false)
  },
)
