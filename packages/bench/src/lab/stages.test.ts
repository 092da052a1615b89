import { expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { stages } from './stages.ts'

test("the stages are valid YAML, play a pod's life in order, and take the time that they are told", () => {
  const documents = parseAllDocuments(stages({ startMs: 30, stopMs: 70 }))
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  const all = documents.map((document) => document.toJS())
  const delayOf = (name: string) =>
    all.find(({ metadata }) => metadata?.name === name)?.spec.delay?.durationMilliseconds
  expect(all.slice(1).map(({ metadata }) => metadata.name)).toEqual([
    'node-ready',
    'pod-running',
    'pod-ready',
    'pod-ended',
    'pod-gone',
  ])
  expect([delayOf('pod-running'), delayOf('pod-ended'), delayOf('pod-gone')]).toEqual([30, 70, 70])
})
