import { expect, test } from '@jest/globals'
import { cpuFactsOf } from './cpu.ts'

const domainCapabilities = `<domainCapabilities><cpu>
  <mode name='host-passthrough' supported='yes'><enum name='hostPassthroughMigratable'><value>on</value></enum></mode>
  <mode name='host-model' supported='yes'>
    <model fallback='forbid'>Skylake-Client-IBRS</model>
    <vendor>Intel</vendor>
    <feature policy='require' name='ss'/>
    <feature policy='disable' name='mpx'/>
    <feature policy='require' name='vmx'/>
  </mode>
  <mode name='custom' supported='yes'>
    <model usable='yes' vendor='unknown'>qemu64</model>
    <model usable='yes' deprecated='no' vendor='Intel'>Penryn</model>
    <model usable='no' vendor='AMD'>EPYC</model>
    <blockers model='EPYC'><feature name='sse4a'/></blockers>
  </mode></cpu>
  <features><hyperv supported='yes'><enum name='features'><value>relaxed</value><value>stimer</value></enum></hyperv></features>
</domainCapabilities>`

test('models, features and timers are read from what libvirt says', () => {
  const facts = cpuFactsOf({
    domainCapabilities,
    supportedFeatures: "<cpu><feature policy='require' name='aes'/><feature policy='disable' name='svm'/></cpu>",
    capabilities: "<cpu><counter name='tsc' frequency='2419200000' scaling='no'/></cpu>",
  })

  expect(facts).toEqual({
    usableModels: ['qemu64', 'Penryn'],
    knownModels: ['qemu64', 'Penryn', 'EPYC'],
    features: ['aes'],
    hostModel: { name: 'Skylake-Client-IBRS', requiredFeatures: ['ss', 'vmx'] },
    hyperv: ['base', 'synictimer'],
    tsc: { frequency: '2419200000', scalable: false },
  })
})

test('a host without a host model has none, and names that are no labels are left out', () => {
  const texts =
    "<mode name='host-model' supported='no'/><mode name='custom' supported='yes'><model usable='yes'>a b</model></mode>"

  expect(cpuFactsOf({ domainCapabilities: texts, supportedFeatures: '', capabilities: '' })).toEqual({
    usableModels: [],
    knownModels: [],
    features: [],
    hyperv: [],
  })
})
