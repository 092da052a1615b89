import { expect, test } from '@jest/globals'
import { diffPatch, pointer } from './json-patch.ts'

test('a change is guarded by a test of what was seen', () => {
  const before = { metadata: { labels: { a: '1', b: '2' } }, status: { phase: 'Pending' } }
  const after = { metadata: { labels: { a: '1' } }, status: { phase: 'Running' } }

  expect(diffPatch(before, after, ['/status/phase', pointer('metadata', 'labels', 'a'), '/metadata/labels/b'])).toEqual(
    [
      { op: 'test', path: '/status/phase', value: 'Pending' },
      { op: 'replace', path: '/status/phase', value: 'Running' },
      { op: 'test', path: '/metadata/labels/b', value: '2' },
      { op: 'remove', path: '/metadata/labels/b' },
    ],
  )
})

test('missing parents are added once, unless somebody else made them meanwhile', () => {
  const after = { metadata: { labels: { 'kubevirt.io/nodeName': 'n', x: '1' } } }
  const paths = [pointer('metadata', 'labels', 'kubevirt.io/nodeName'), '/metadata/labels/x']

  expect(diffPatch({ metadata: {} }, after, paths)).toEqual([
    { op: 'test', path: '/metadata/labels', value: null },
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'add', path: '/metadata/labels/kubevirt.io~1nodeName', value: 'n' },
    { op: 'add', path: '/metadata/labels/x', value: '1' },
  ])
})

test('a new value in an existing parent is guarded against another writer', () => {
  expect(diffPatch({ metadata: { labels: {} } }, { metadata: { labels: { x: '1' } } }, ['/metadata/labels/x'])).toEqual(
    [
      { op: 'test', path: '/metadata/labels/x', value: null },
      { op: 'add', path: '/metadata/labels/x', value: '1' },
    ],
  )
})
