import { expect, test } from '@jest/globals'
import { mkdtempDisposable, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { watchCertificate, type CertificateSource } from './certificates.ts'
import { serveEndpoints } from './endpoints.ts'
import { createLogger } from './log.ts'
import { selfSigned } from './self-signed.ts'

const log = createLogger({ component: 'test', destination: { write: () => undefined } })

/** A Secret volume as the kubelet makes it: files behind links behind `..data`, which is swapped as a whole. */
async function secretVolume() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'certificate-'))
  const path = (name: string) => join(directory.path, name)
  let generation = 0
  return {
    certFile: path('tls.crt'),
    keyFile: path('tls.key'),
    async write({ cert, key }: { cert: string; key: string }) {
      const name = `..${(generation += 1)}`
      await mkdir(path(name))
      await writeFile(path(`${name}/tls.crt`), cert)
      await writeFile(path(`${name}/tls.key`), key)
      await symlink(name, path('..data_tmp'))
      await rename(path('..data_tmp'), path('..data'))
      if (generation > 1) return
      await symlink('..data/tls.crt', path('tls.crt'))
      await symlink('..data/tls.key', path('tls.key'))
    },
    [Symbol.asyncDispose]: () => directory.remove(),
  }
}

const changed = (source: CertificateSource) => new Promise<void>((resolve) => void source.onChange(resolve))

async function servedName(port: number, servername: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const asked = request({
    host: '127.0.0.1',
    port,
    servername,
    path: '/healthz',
    rejectUnauthorized: false,
    agent: false,
  })
  asked.on('response', (response) => {
    const { subject } = (response.socket as TLSSocket).getPeerCertificate()
    response.resume()
    resolve(String(subject.CN))
  })
  asked.on('error', reject)
  asked.end()
  return promise
}

test('a swapped volume is served at once, to clients with and without a server name, without a restart', async () => {
  await using volume = await secretVolume()
  await volume.write(selfSigned('old'))
  const source = await watchCertificate({ ...volume, log, pollMs: 60_000 })
  const endpoints = await serveEndpoints({ host: '127.0.0.1', port: 0, certificate: source, log })
  expect(await servedName(endpoints.port, 'virt-api.kubevirt.svc')).toBe('old')

  const change = changed(source)
  await volume.write(selfSigned('new'))
  await change

  expect(await servedName(endpoints.port, 'virt-api.kubevirt.svc')).toBe('new')
  expect(await servedName(endpoints.port, '')).toBe('new')
  source.close()
  await endpoints.close()
})

test('a certificate that is not there yet is found by the poll', async () => {
  await using volume = await secretVolume()
  const source = await watchCertificate({ certFile: `${volume.certFile}`, keyFile: volume.keyFile, log, pollMs: 5 })
  expect(source.current()).toBeUndefined()

  const change = changed(source)
  await volume.write(selfSigned('late'))
  await change

  expect(source.current()?.cert).toContain('BEGIN CERTIFICATE')
  source.close()
})

test('a key that belongs to another certificate changes nothing', async () => {
  await using volume = await secretVolume()
  const good = selfSigned('good')
  await volume.write(good)
  const source = await watchCertificate({ ...volume, log, pollMs: 5 })

  await volume.write({ cert: selfSigned('other').cert, key: good.key })
  const change = changed(source)
  const next = selfSigned('next')
  expect(source.current()).toEqual(good)
  await volume.write(next)
  await change

  expect(source.current()).toEqual(next)
  source.close()
})
