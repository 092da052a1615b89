import { expect, test } from '@jest/globals'
import { admission, fields } from '../../../../test/admission.ts'

const configured = (configuration: object) => ({ spec: { configuration } })
const tlsOf = (...ciphers: string[]) => configured({ tlsConfiguration: { minTLSVersion: 'VersionTLS12', ciphers } })
const seccompOf = (profile: object) => configured({ seccompConfiguration: { virtualMachineInstanceProfile: profile } })
const rotated = (selfSigned: object) => ({ spec: { certificateRotateStrategy: { selfSigned } } })

const ciphers = 'spec.configuration.tlsConfiguration.ciphers'
const profile = 'spec.configuration.seccompConfiguration.virtualMachineInstanceProfile.customProfile'
const ratio = 'spec.configuration.additionalGuestMemoryOverheadRatio'
const rotation = 'spec.certificateRotateStrategy.selfSigned'

test.each<[string, object, readonly string[]]>([
  ['ciphers for TLS 1.3', configured({ tlsConfiguration: { ciphers: ['x'] } }), [ciphers]],
  ['ciphers that there are', tlsOf('TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'TLS_RSA_WITH_RC4_128_SHA'), []],
  ['a cipher that there is not', tlsOf('TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ROT13'), [`${ciphers}#1`]],
  [
    'an unknown update method',
    { spec: { workloadUpdateStrategy: { workloadUpdateMethods: ['Hope'] } } },
    ['spec.workloadUpdateStrategy.workloadUpdateMethods[0]'],
  ],
  ['a ratio that is none', configured({ additionalGuestMemoryOverheadRatio: '1.fd3' }), [ratio]],
  ['no ratio', configured({ additionalGuestMemoryOverheadRatio: '' }), [ratio]],
  ['a ratio below one', configured({ additionalGuestMemoryOverheadRatio: '0.999' }), [ratio]],
  ['a ratio', configured({ additionalGuestMemoryOverheadRatio: '1.2' }), []],
  ['no profile of system calls', seccompOf({}), [profile]],
  [
    'two profiles of system calls',
    seccompOf({ customProfile: { localhostProfile: 'x', runtimeDefaultProfile: true } }),
    [`${profile}.localhostProfile`, `${profile}.runtimeDefaultProfile`],
  ],
  ['a profile of system calls', seccompOf({ customProfile: { runtimeDefaultProfile: true } }), []],
  [
    'an authority renewed before it was made',
    rotated({ ca: { duration: '24h', renewBefore: '25h' } }),
    [`${rotation}.ca.renewBefore`],
  ],
  [
    'a certificate renewed before it was made',
    rotated({ server: { duration: '1h', renewBefore: '2h0m0s' } }),
    [`${rotation}.server.renewBefore`],
  ],
  [
    'a certificate that outlives its authority',
    rotated({ server: { duration: '169h' } }),
    [`${rotation}.server.duration`],
  ],
  ['two ways to say how long', rotated({ caRotateInterval: '48h', ca: { duration: '48h' } }), [rotation]],
  ['how long', rotated({ ca: { duration: '48h', renewBefore: '24h' }, server: { duration: '24h' } }), []],
])('a KubeVirt with %s is answered with its fields', async (_, object, expected) => {
  for (const path of ['/kubevirt-validate-create', '/kubevirt-validate-update']) {
    expect(await fields(path, object)).toEqual(expected)
  }
})

test('what was stored before there was a rule keeps nobody from changing something else', async () => {
  const { spec } = tlsOf('ROT13')
  const change = (oldObject: object) => fields('/kubevirt-validate-update', { spec }, { more: { oldObject } })
  expect(await change({ spec: { ...spec, imageTag: 'old' } })).toEqual([])
  expect(await change(tlsOf())).toEqual([`${ciphers}#0`])
})

test('who turns on a gate that does nothing is told, once', async () => {
  const gates = (...featureGates: string[]) => configured({ developerConfiguration: { featureGates } })
  const { warnings } = await admission('/kubevirt-validate-update', gates('Root', 'NonRoot', 'Macvtap', 'Magic'), {
    more: { oldObject: gates() },
  })
  expect(warnings).toEqual([
    'feature gate NonRoot is always on: remove it from the list',
    'feature gate Macvtap is discontinued: VMs that need it are refused',
    'there is no feature gate Magic: it does nothing',
  ])
  const again = await admission('/kubevirt-validate-update', gates('NonRoot'), {
    more: { oldObject: gates('NonRoot') },
  })
  expect(again.warnings).toEqual([])
})

test('the old spelling of mediated devices is told', async () => {
  const object = configured({
    mediatedDevicesConfiguration: {
      mediatedDevicesTypes: ['a'],
      nodeMediatedDeviceTypes: [{ mediatedDevicesTypes: ['a'] }],
    },
  })
  expect((await admission('/kubevirt-validate-create', object)).warnings).toHaveLength(2)
})

test('there is one KubeVirt, and one that protects its guests stays', async () => {
  const kubevirt = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'k', namespace: 'kubevirt' },
    spec: {},
  }
  expect((await admission('/kubevirt-validate-create', { spec: {} }, { objects: [kubevirt] })).denied?.code).toBe(400)
  expect((await admission('/kubevirt-validate-create', { spec: {} })).denied).toBeUndefined()
  const oldObject = { ...kubevirt, spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } }
  const guest = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'a', namespace: 'n' },
  }
  const remove = (objects: object[]) =>
    admission('/kubevirt-validate-delete', {}, { more: { oldObject, operation: 'DELETE' }, objects })
  expect((await remove([guest])).denied?.message).toMatch(/^Rejecting the uninstall request/)
  expect((await remove([])).denied).toBeUndefined()
})
