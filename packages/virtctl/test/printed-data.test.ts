import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { answer, sent, virtctl, vmis, vms } from './command-line.ts'

describe('data', () => {
  test('a stored VM is expanded, as YAML unless told', async () => {
    answer(`GET ${vms}/a/expand-spec`, { kind: 'VirtualMachine' })
    expect((await virtctl('expand', '--vm', 'a')).out).toBe('kind: VirtualMachine\n')
    expect((await virtctl('expand', '--vm', 'a', '-o', 'json')).out).toBe('{\n  "kind": "VirtualMachine"\n}\n')
    expect(await virtctl('expand')).toMatchObject({ code: 1, err: expect.stringMatching(/must be provided/) })
  })

  test('a VM in a file is expanded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'virtctl-'))
    writeFileSync(join(folder, 'vm.yaml'), 'kind: VirtualMachine')
    answer('PUT /apis/subresources.kubevirt.io/v1/namespaces/n/expand-vm-spec', { kind: 'VirtualMachine' })
    expect(await virtctl('expand', '-f', join(folder, 'vm.yaml'))).toMatchObject({ code: 0 })
    expect(sent().body).toEqual({ kind: 'VirtualMachine' })
    rmSync(folder, { recursive: true })
  })

  test('an object graph is asked for with its options', async () => {
    answer(`GET ${vms}/a/objectgraph`, { children: [] })
    expect((await virtctl('objectgraph', 'a', '--exclude-optional', '--selector', 'x=y')).out).toBe(
      '{\n  "children": []\n}\n',
    )
    expect(sent().body).toEqual({ includeOptionalNodes: false, labelSelector: { matchLabels: { x: 'y' } } })
  })

  test('guest information also comes as YAML', async () => {
    answer(`GET ${vmis}/a/userlist`, { items: [] })
    expect((await virtctl('userlist', 'a', '-o', 'yaml')).out).toBe('items: []\n')
    expect(await virtctl('userlist', 'a', '-o', 'xml')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/use json or yaml/),
    })
  })

  test('a picture of the screen is saved; a refusal is told', async () => {
    answer(`GET ${vmis}/a/vnc/screenshot?moveCursor=false`, { png: true })
    expect((await virtctl('vnc', 'screenshot', 'a', '--file', '-')).out).toBe('{"png":true}')
    expect(await virtctl('vnc', 'screenshot', 'b', '--file', '-')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/screenshot of VMI b/),
    })
  })
})
