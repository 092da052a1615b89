import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { answer, api, virtctl } from './command-line.ts'

// Made for this test alone, valid for a hundred years.
const read = (file: string) => readFileSync(join(import.meta.dirname, 'data', file))
const image = join(import.meta.dirname, 'data', 'kubeconfig.yaml')
const tokens = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/n/uploadtokenrequests'

const asked: (string | undefined)[] = []
const proxy = createServer({ cert: read('upload-proxy.crt'), key: read('upload-proxy.key') }, (request, response) => {
  asked.push(request.method)
  request.resume().once('end', () => response.end())
})

beforeEach(async () => {
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  answer('GET /apis/cdi.kubevirt.io/v1beta1', {})
  answer(`POST ${tokens}`, { status: { token: 't' } })
  const annotations = { 'cdi.kubevirt.io/storage.pod.ready': 'true', 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded' }
  answer('GET /api/v1/namespaces/n/persistentvolumeclaims/root', { metadata: { name: 'root', annotations } })
})
afterEach(() => void proxy.close())

const upload = (...flags: string[]) => {
  const url = `--uploadproxy-url=https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return virtctl('image-upload', 'pvc', 'root', '--no-create', '--image-path', image, url, ...flags)
}

test('an upload proxy that nobody vouches for is given nothing, and not asked again; the remedy is told', async () => {
  const { code, err } = await upload()
  expect({ code, asked }).toEqual({ code: 1, asked: [] })
  expect(err).toMatch(
    /the certificate of the upload proxy https:\S+ is not trusted: self-signed certificate; .*--insecure/,
  )
  expect(err).not.toMatch(/again/)
  expect(api.seen.filter(({ path }) => path === tokens)).toHaveLength(1)
})

test('--insecure takes any certificate', async () => {
  expect(await upload('--insecure')).toMatchObject({ code: 0 })
  expect(asked).toEqual(['HEAD', 'POST'])
})
