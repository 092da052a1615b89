import { X509Certificate, createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { certificateFiles, ensureAuthority, ensureCertificate, renderKubeconfig } from './pki.ts'

describe('certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pki-'))
  const read = (name: string) => new X509Certificate(readFileSync(certificateFiles(folder, name).certificate))

  beforeAll(async () => {
    await ensureAuthority(folder, 'ca')
    await ensureCertificate(folder, 'node', 'ca', {
      commonName: 'system:node:demo-1',
      organization: 'system:nodes',
      hosts: ['demo-1', '198.19.255.11'],
    })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are signed by their authority and name their subject', () => {
    expect(read('node').checkIssued(read('ca'))).toBe(true)
    expect(read('node').verify(read('ca').publicKey)).toBe(true)
    expect(read('node').subject).toBe('O=system:nodes\nCN=system:node:demo-1')
    expect(read('node').subjectAltName).toBe('DNS:demo-1, IP Address:198.19.255.11')
  })

  it('have a key of their own that only the owner may read', () => {
    const { key } = certificateFiles(folder, 'node')
    expect(read('node').checkPrivateKey(createPrivateKey(readFileSync(key)))).toBe(true)
    expect(statSync(key).mode & 0o777).toBe(0o600)
  })

  it('are made once only', async () => {
    const before = read('node').serialNumber
    await ensureCertificate(folder, 'node', 'ca', { commonName: 'other' })
    expect(read('node').serialNumber).toBe(before)
  })

  it('go into a kubeconfig that stands alone', () => {
    const config = JSON.parse(renderKubeconfig(folder, 'node', 'https://198.19.255.1:6443', 'demo'))
    expect(config.clusters[0].cluster.server).toBe('https://198.19.255.1:6443')
    expect(Buffer.from(config.users[0].user['client-key-data'], 'base64').toString()).toContain('PRIVATE KEY')
  })
})
