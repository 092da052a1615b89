import { expect, test } from '@jest/globals'
import { parseDomain, toXml, XmlError, type DomainSpec } from './index.ts'

const domain: DomainSpec = {
  $type: 'kvm',
  name: 'default_vm',
  memory: { $unit: 'b', _: '1048576' },
  os: { type: { $arch: 'x86_64', _: 'hvm' }, cmdline: 'a="<b>" & c' },
  devices: {
    disk: [
      {
        $type: 'file',
        $device: 'disk',
        source: { $file: '/a&b' },
        target: { $dev: 'vda', $bus: 'virtio' },
        readonly: {},
      },
      {
        $type: 'file',
        $device: 'disk',
        source: { $file: 'line\nbreak' },
        target: { $dev: 'vdb', $bus: 'virtio' },
        serial: 'S',
      },
    ],
    serial: [{ $type: 'unix' }],
  },
  metadata: { kubevirt: { $xmlns: 'http://kubevirt.io', uid: 'u' } },
}

test('a domain that was written is read back unchanged', () => {
  expect(parseDomain(toXml(domain))).toEqual(domain)
})

test('keys without a value are not written', () => {
  expect(toXml({ ...domain, uuid: undefined, devices: {}, metadata: undefined } as never)).toBe(
    `<domain type="kvm">
  <name>default_vm</name>
  <memory unit="b">1048576</memory>
  <os>
    <type arch="x86_64">hvm</type>
    <cmdline>a="&lt;b&gt;" &amp; c</cmdline>
  </os>
  <devices/>
</domain>
`,
  )
})

test("KubeVirt's metadata is found whatever prefix libvirt gave it", () => {
  const xml = `<domain type='qemu'><name>a</name><metadata><kubevirt:kubevirt xmlns:kubevirt="http://kubevirt.io">
    <kubevirt:uid>u</kubevirt:uid></kubevirt:kubevirt></metadata></domain>`

  expect(parseDomain(xml).metadata?.kubevirt?.uid).toBe('u')
})

test.each([
  ['a document type', '<!DOCTYPE domain [<!ENTITY a "b">]><domain/>', 'unexpected text at character 0'],
  ['an unknown entity', '<domain><name>&a;</name></domain>', 'unknown entity &a'],
  ['an element that is not closed', '<domain><name>', '<name> is not closed'],
  ['a wrong end', '<domain></name>', 'unexpected </name>'],
  ['two elements', '<domain/><domain/>', 'one outermost element'],
  ['another element', '<network/>', '<network> instead of <domain>'],
  ['endless nesting', '<a>'.repeat(100), 'more than 64 levels'],
  ['text only', 'hello', 'text outside the element'],
  ['nothing', '', 'one outermost element'],
])('%s is refused', (_, xml, message) => {
  expect(() => parseDomain(xml)).toThrow(XmlError)
  expect(() => parseDomain(xml)).toThrow(message)
})

test('an element named like a property of all objects is harmless', () => {
  parseDomain('<domain><__proto__><polluted>yes</polluted></__proto__></domain>')

  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('a name that XML cannot carry does not break the document', () => {
  expect(parseDomain(toXml({ ...domain, name: 'a\u0000b' })).name).toBe('a\uFFFDb')
})
