import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { domainReferences } from './domain.ts'
import { connect, LibvirtError, type Connection, type DomainEvent } from './index.ts'
import { forgetNativeTypes } from './testing/native-types.ts'

// libvirt's own test driver: a domain named `test` that runs in this process' memory.
let connection: Connection
beforeAll(forgetNativeTypes)
beforeEach(async () => {
  connection = await connect('test:///default')
})
afterEach(() => connection.close())

async function withTestDomain() {
  return (await connection.lookupByName('test'))!
}

test('the state of a domain comes with its reason', async () => {
  using domain = await withTestDomain()

  await domain.suspend()

  expect(await domain.state()).toEqual({ state: 'paused', reason: 'user' })
  await domain.resume()
  expect(await domain.state()).toMatchObject({ state: 'running', reason: 'unpaused' })
})

test('events arrive in the order of the changes', async () => {
  const events: string[] = []
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  await connection.onEvent((event: DomainEvent) => {
    if (event.kind !== 'lifecycle') return
    events.push(`${event.domain} ${event.event}`)
    if (event.event === 'stopped') resolve()
  })
  using domain = await withTestDomain()

  await domain.suspend()
  await domain.resume()
  await domain.destroy()
  await stopped

  expect(events).toEqual(['test suspended', 'test resumed', 'test stopped'])
})

test('a domain that nobody defined is not an error', async () => {
  expect(await connection.lookupByName('missing')).toBeUndefined()
})

test("a refused call carries libvirt's code, domain and words", async () => {
  using domain = await withTestDomain()

  const error: unknown = await domain.create().catch((e: unknown) => e)

  expect(error).toBeInstanceOf(LibvirtError)
  expect(error).toMatchObject({ code: 1, domain: 12, message: expect.stringMatching(/^create of test: ./) })
})

test('two failures at once keep their own reasons', async () => {
  using domain = await withTestDomain()

  const [twice, wrong] = await Promise.allSettled([domain.create(), connection.defineXml('<domain/>')])

  expect(twice).toMatchObject({ reason: { message: expect.stringMatching(/^create of test: /) } })
  expect(wrong).toMatchObject({ reason: { message: expect.stringMatching(/^define: /) } })
})

test('a definition is taken, started, stopped and forgotten', async () => {
  using domain = await connection.defineXml(
    "<domain type='test'><name>new</name><memory>1024</memory><os><type>hvm</type></os></domain>",
  )

  expect(await domain.state()).toMatchObject({ state: 'shutoff' })
  await domain.create()
  expect(await domain.state()).toEqual({ state: 'running', reason: 'booted' })
  expect(await domain.info()).toMatchObject({ maxMemory: 1024, vcpus: 1 })
  await domain.destroy()
  await domain.undefine()
  expect(await connection.lookupByName('new')).toBeUndefined()
})

test('metadata of a namespace is kept in the domain', async () => {
  using domain = await withTestDomain()
  const namespace = { prefix: 'kubevirt', uri: 'http://kubevirt.io' }

  expect(await domain.metadata(namespace.uri)).toBeUndefined()
  await domain.setMetadata('<kubevirt><uid>1</uid></kubevirt>', namespace, { live: true })

  expect(await domain.metadata(namespace.uri)).toContain('<uid>1</uid>')
  expect(await domain.xml()).toContain('http://kubevirt.io')
})

test('a domain that was freed refuses calls', async () => {
  const domain = await withTestDomain()
  domain[Symbol.dispose]()
  domain[Symbol.dispose]()

  await expect(domain.state()).rejects.toThrow('used after it was freed')
})

test('a place without libvirt is an error that names it', async () => {
  await expect(connect('test:///no/such/file.xml')).rejects.toThrow(/^connecting to test:\/\/\/no\/such\/file.xml: /)
})

test("libvirt's statistics come by their names, numbers of 64 bits as bigints", async () => {
  using domain = await withTestDomain()

  const stats = await domain.stats()

  expect(stats).toMatchObject({ 'state.state': 1n, 'state.reason': 0n })
})

test("a screenshot is the whole picture that libvirt's stream gives", async () => {
  using domain = await withTestDomain()

  const { mime, data } = await domain.screenshot()

  expect(mime).toBe('image/png')
  expect(data.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  expect(data.subarray(-8, -4).toString('latin1')).toBe('IEND')
})

test('hypervisor and libvirt tell their versions', async () => {
  expect(await connection.version()).toMatch(/^\d+\.\d+\.\d+$/)
  expect(await connection.libvirtVersion()).toMatch(/^[1-9]\d*\.\d+\.\d+$/)
})

test('a call that fails on the way leaves the connection usable', async () => {
  using domain = await withTestDomain()
  await domain.destroy()

  await expect(domain.setVcpus(1, { live: true })).rejects.toBeInstanceOf(LibvirtError)

  expect(await domain.state()).toMatchObject({ state: 'shutoff' })
})

test('references to domains are given back, also after failed calls', async () => {
  const before = domainReferences()
  for (let round = 0; round < 20; round++) {
    using domain = await withTestDomain()
    await domain.create().catch(() => undefined)
    await domain.stats()
    expect(domainReferences()).toBe(before + 1)
  }
  await connection.version()

  expect(domainReferences()).toBe(before)
})
