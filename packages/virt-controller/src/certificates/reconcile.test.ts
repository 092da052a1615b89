import { expect, test } from '@jest/globals'
import {
  apiServices,
  configMaps,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '@kubevirt-ts/api'
import type { APIService, MutatingWebhookConfiguration, Secret } from '@kubevirt-ts/api'
import { keyOf } from '@kubevirt-ts/controller'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { fakeClient } from '@kubevirt-ts/kubecli/testing'
import { keyPairOf } from './held.ts'
import { inventory } from './inventory.ts'
import { reconcile } from './reconcile.ts'

const namespace = 'kubevirt'
const hour = 3_600_000

const apiService: APIService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.subresources.kubevirt.io', labels: { 'kubevirt.io': 'virt-api-aggregator' } },
  spec: {
    group: 'subresources.kubevirt.io',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { name: 'virt-api', namespace },
  },
}

const webhook = (name: string, service: string) => ({
  name,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { service: { name: service, namespace } },
})

const webhooks: MutatingWebhookConfiguration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'virt-api-mutator' },
  webhooks: [webhook('a.kubevirt.io', 'virt-api'), webhook('b.example', 'other')],
}

function setUp() {
  const client = fakeClient([apiService, webhooks])
  let time = Date.parse('2026-01-01T00:00:00Z')
  const found = <T extends { metadata: { name: string; namespace?: string } }>(list: T[], key: string): T | undefined =>
    list.find((object) => keyOf(object) === key)
  const deps = {
    client,
    namespace,
    secrets: { get: (key: string) => found(client.objects(secrets), key) },
    configMaps: { get: (key: string) => found(client.objects(configMaps), key) },
    targets: () => ({
      apiServices: client.objects(apiServices),
      mutating: client.objects(mutatingWebhookConfigurations),
      validating: client.objects(validatingWebhookConfigurations),
    }),
    strategy: () => undefined,
    now: () => time,
    log: silentLog(),
  }
  const bundle = (): string => client.objects(configMaps)[0]?.data?.['ca-bundle'] ?? ''
  const secret = (name: string): Secret | undefined =>
    client.objects(secrets).find(({ metadata }) => metadata.name === name)
  return { client, deps, bundle, secret, pass: (ms: number) => void (time += ms) }
}

test('an empty namespace gets an authority, its bundle and every leaf', async () => {
  const { client, deps, bundle, secret } = setUp()
  await reconcile(deps)

  const ca = keyPairOf(secret('kubevirt-ca'))
  expect(bundle()).toBe(ca?.cert)
  for (const { secret: name, commonName } of inventory(namespace)) {
    const leaf = keyPairOf(secret(name))
    expect(leaf?.certificate.subject).toBe(`CN=${commonName}`)
    expect(leaf?.certificate.verify(ca!.certificate.publicKey)).toBe(true)
  }
  expect(client.objects(secrets).every(({ type }) => type === 'kubernetes.io/tls')).toBe(true)
})

test('the API server is told whom to trust as virt-api, and only as virt-api', async () => {
  const { client, deps, bundle } = setUp()
  await reconcile(deps)

  const injected = Buffer.from(bundle()).toString('base64')
  expect(client.objects(apiServices)[0]?.spec.caBundle).toBe(injected)
  const [ours, others] = client.objects(mutatingWebhookConfigurations)[0]?.webhooks ?? []
  expect(ours?.clientConfig.caBundle).toBe(injected)
  expect(others?.clientConfig.caBundle).toBeUndefined()
})

test('while nothing is due nothing is written', async () => {
  const { client, deps } = setUp()
  await reconcile(deps)
  const before = client.writes().length
  const { requeueAfter } = await reconcile(deps)

  expect(client.writes()).toHaveLength(before)
  expect(requeueAfter).toBe(hour)
})

test('what others remove or break is made anew', async () => {
  const { client, deps, secret } = setUp()
  await reconcile(deps)
  await client.delete(secrets, { namespace, name: 'kubevirt-virt-api-certs' })
  await client.patch(
    secrets,
    { namespace, name: 'kubevirt-controller-certs' },
    { data: { 'tls.crt': 'AAAA' } },
    { type: 'merge' },
  )
  await reconcile(deps)

  expect(keyPairOf(secret('kubevirt-virt-api-certs'))).toBeDefined()
  expect(keyPairOf(secret('kubevirt-controller-certs'))).toBeDefined()
})

test('a new authority signs every leaf at once, and the old one stays trusted', async () => {
  const { deps, bundle, secret, pass } = setUp()
  await reconcile(deps)
  const old = keyPairOf(secret('kubevirt-ca'))!
  pass(6 * 24 * hour)
  await reconcile(deps)

  const renewed = keyPairOf(secret('kubevirt-ca'))!
  expect(renewed.cert).not.toBe(old.cert)
  expect(bundle()).toBe(renewed.certificate.toString() + old.certificate.toString())
  for (const { secret: name } of inventory(namespace)) {
    expect(keyPairOf(secret(name))?.certificate.verify(renewed.certificate.publicKey)).toBe(true)
  }
})

test('a cache that is behind does not make a second authority', async () => {
  const { deps, secret } = setUp()
  await reconcile(deps)
  const first = secret('kubevirt-ca')?.metadata.resourceVersion
  await reconcile({ ...deps, secrets: { get: () => undefined } })

  expect(secret('kubevirt-ca')?.metadata.resourceVersion).toBe(first)
})
