import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { answer, api, objects, virtctl, vms } from './command-line.ts'

describe('memory-dump', () => {
  const vm = `GET ${objects}/virtualmachines/a`
  const done = { status: { memoryDumpRequest: { claimName: 'c', phase: 'Completed', startTimestamp: 't' } } }

  test('get makes a claim that is large enough, and waits for the dump', async () => {
    answer(`GET ${objects}/virtualmachineinstances/a`, { spec: { domain: { memory: { guest: '924Mi' } } } })
    answer('POST /api/v1/namespaces/n/persistentvolumeclaims', {}, 201)
    answer(vm, {})
    answer(`PUT ${vms}/a/memorydump`, undefined, 202)
    const running = virtctl('memory-dump', 'get', 'a', '--claim-name=c', '--create-claim')
    while (!api.seen.some(({ method }) => method === 'PUT')) await new Promise((resolve) => setImmediate(resolve))
    answer(vm, done)
    expect(await running).toMatchObject({
      code: 0,
      err: 'Waiting for memory dump c to complete, current phase: Completed\n',
    })
    expect(api.seen.find(({ method }) => method === 'POST')!.body).toMatchObject({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1081Mi' } } },
    })
    expect(api.seen.find(({ method }) => method === 'PUT')!.body).toEqual({ claimName: 'c' })
  })

  test('remove lets go of the claim', async () => {
    answer(`PUT ${vms}/a/removememorydump`, undefined, 202)
    expect(await virtctl('memory-dump', 'remove', 'a')).toMatchObject({ code: 0 })
  })
})

test.each([
  [['vmexport', 'download', 'x', '--vm=a'], /vmexport is not available/],
  [['memory-dump', 'download', 'x'], /memory-dump download is not available/],
  [['memory-dump', 'get', 'x', '--output=dump.gz'], /memory-dump get --output is not available.*kubectl cp/],
])('%j says why it can not be, and what to do', async (argv, message) => {
  expect(await virtctl(...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
})

describe('image-upload', () => {
  let folder: string
  let image: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'upload-'))
    image = join(folder, 'disk.img')
    writeFileSync(image, 'an image')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('a cluster without CDI is told as such', async () => {
    expect(await virtctl('image-upload', 'dv', 'root', '--size=1Gi', '--image-path', image)).toMatchObject({
      code: 1,
      err: expect.stringContaining('CDI is not installed'),
    })
  })

  test('a DataVolume is made, and the image sent to the proxy with a token for it', async () => {
    const got: { url: string; authorization: string; body: string }[] = []
    const proxy = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        got.push({ url: `${request.method} ${request.url}`, authorization: request.headers.authorization!, body })
        response.end()
      })
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const created = '/apis/cdi.kubevirt.io/v1beta1/namespaces/n/datavolumes'
    answer('GET /apis/cdi.kubevirt.io/v1beta1', {})
    answer('GET /apis/cdi.kubevirt.io/v1beta1/cdiconfigs/config', {
      status: { uploadProxyURL: `http://127.0.0.1:${port}` },
    })
    answer(`POST ${created}`, {}, 201)
    answer('POST /apis/upload.cdi.kubevirt.io/v1beta1/namespaces/n/uploadtokenrequests', { status: { token: 't' } })
    answer('GET /api/v1/namespaces/n/persistentvolumeclaims/root', {
      metadata: {
        name: 'root',
        annotations: { 'cdi.kubevirt.io/storage.pod.ready': 'true', 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded' },
      },
    })
    const { code, out } = await virtctl(
      'image-upload',
      'dv',
      'root',
      '--size=1Gi',
      '--image-path',
      image,
      '--default-instancetype',
      'small',
    )
    proxy.close()
    expect({ code, out }).toEqual({ code: 0, out: `Uploading ${image} completed successfully\n` })
    expect(api.seen.find(({ path, method }) => method === 'POST' && path === created)?.body).toMatchObject({
      metadata: { name: 'root', labels: { 'instancetype.kubevirt.io/default-instancetype': 'small' } },
      spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
    })
    expect(got).toEqual([
      { url: 'HEAD /v1beta1/upload-async', authorization: 'Bearer t', body: '' },
      { url: 'POST /v1beta1/upload-async', authorization: 'Bearer t', body: 'an image' },
    ])
  })

  test.each([
    [['dv', 'root', '--image-path', '/dev/null'], /size/],
    [['dv', 'root', '--size=1Gi'], /--image-path/],
    [['vm', 'root', '--size=1Gi', '--image-path', '/dev/null'], /dv NAME or pvc NAME/],
    [['dv', 'root', '--size=1Gi', '--image-path', '/nowhere'], /can not be read/],
  ])('image-upload %j is refused before anything is made', async (argv, message) => {
    expect(await virtctl('image-upload', ...argv)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
    expect(api.seen).toEqual([])
  })
})
