import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtemp, rm, writeFile, appendFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditLog, writesBy } from './audit.ts'

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'audit-'))))
afterAll(() => rm(folder, { recursive: true }))

type Fields = {
  agent: string
  verb: string
  resource: string
  subresource?: string
  code?: number
  stage?: string
  uri?: string
}

const line = ({
  agent,
  verb,
  resource,
  subresource,
  code = 200,
  stage = 'ResponseComplete',
  uri = '/apis/x',
}: Fields) =>
  `${JSON.stringify({
    stage,
    verb,
    requestURI: uri,
    userAgent: `${agent}/v1 (linux)`,
    objectRef: { resource, namespace: 'bench', ...(subresource === undefined ? {} : { subresource }) },
    responseStatus: { code },
  })}\n`

test('answered requests between two marks are counted by who asked for what, and how it was answered', async () => {
  const path = join(folder, 'audit.log')
  const patch = { agent: 'virt-controller', verb: 'patch', resource: 'pods', subresource: 'status' }
  await writeFile(path, line({ agent: 'early', verb: 'create', resource: 'pods' }))
  const audit = new AuditLog(path)
  const from = await audit.mark()
  await appendFile(path, line(patch) + line(patch) + line({ ...patch, code: 409 }))
  await appendFile(path, line({ ...patch, stage: 'ResponseStarted' }) + line({ ...patch, uri: '/apis/x?dryRun=All' }))
  const to = await audit.mark()
  await appendFile(path, line({ agent: 'late', verb: 'create', resource: 'pods' }))

  expect(await audit.requests(from, to)).toEqual([
    { agent: 'virt-controller', verb: 'patch', resource: 'pods/status', code: 200, count: 2 },
    { agent: 'virt-controller', verb: 'patch', resource: 'pods/status', code: 409, count: 1 },
  ])
  expect(await audit.requests(from, to, 'elsewhere')).toEqual([])
})

test('reads, events and refused writes are no writes of an object', () => {
  const request = (verb: string, resource: string, code: number) => ({ agent: 'a', verb, resource, code, count: 1 })
  const requests = [
    request('create', 'pods', 201),
    request('list', 'pods', 200),
    request('create', 'events', 201),
    request('update', 'pods', 409),
  ]
  expect(writesBy(requests, 'a')).toBe(1)
  expect(writesBy(requests, 'b')).toBe(0)
})
