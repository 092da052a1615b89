import { expect, test } from '@jest/globals'
import { vmi, withStatus } from '@kubevirt-ts/libvmi'
import { destinationXml } from './destination.ts'

const domain = `<domain type='kvm'>
  <name>default_testvmi</name>
  <vcpu placement='static'>2</vcpu>
  <iothreads>1</iothreads>
  <cputune>
    <vcpupin vcpu='0' cpuset='4'/>
    <vcpupin vcpu='1' cpuset='5'/>
    <emulatorpin cpuset='6'/>
  </cputune>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <seclabel type='none'/>
</domain>`

const guest = (dedicatedCpuPlacement: boolean, targetCPUSet?: number[]) =>
  vmi(
    (object) => {
      object.spec.domain.cpu = {
        sockets: 2,
        cores: 1,
        threads: 1,
        dedicatedCpuPlacement,
        isolateEmulatorThread: dedicatedCpuPlacement,
      }
    },
    withStatus({ migrationState: { migrationUid: 'm', ...(targetCPUSet && { targetCPUSet }) } }),
  )

test('a guest with CPUs of its own is pinned to those of its target pod; all else moves as it is', () => {
  const xml = destinationXml(guest(true, [1, 2, 7]), domain) ?? ''
  const [, tune = '', rest = ''] = /<cputune>([\s\S]*)<\/cputune>([\s\S]*)/.exec(xml) ?? []
  const pins = [...tune.matchAll(/<(\w+pin)([^>]*)/g)].map(([, name, attributes = '']) => [
    name,
    ...[...attributes.matchAll(/["'](\d+)["']/g)].map(([, value]) => value),
  ])
  expect(pins).toEqual([
    ['vcpupin', '0', '1'],
    ['vcpupin', '1', '2'],
    ['iothreadpin', '1', '7'],
    ['emulatorpin', '7'],
  ])
  expect(rest).toContain("<seclabel type='none'/>")
  expect(xml.replace(/<cputune>[\s\S]*<\/cputune>/, '')).toBe(domain.replace(/<cputune>[\s\S]*<\/cputune>/, ''))
})

test('a guest that shares its CPUs moves as it is', () => {
  expect(destinationXml(guest(false, [1, 2, 7]), domain)).toBeUndefined()
})

test.each<[string, number[] | undefined, string]>([
  ['does not tell its CPUs', undefined, 'too old'],
  ['has fewer CPUs', [1, 2], 'needs 2 CPUs of its own, the pod has 2'],
])('a target that %s is refused by that reason', (_, cpus, reason) => {
  expect(() => destinationXml(guest(true, cpus), domain)).toThrow(reason)
})
