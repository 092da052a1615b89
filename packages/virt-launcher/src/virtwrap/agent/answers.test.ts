import { expect, test } from '@jest/globals'
import { readAgentInfo, readFilesystems, readInterfaces, readOsInfo, readTimezone, readUsers } from './answers.ts'

test("the guest's interfaces are told without its loopback, IPv4 first", () => {
  const answer = [
    { name: 'lo', 'ip-addresses': [{ 'ip-address': '127.0.0.1', 'ip-address-type': 'ipv4' }] },
    {
      name: 'enp1s0',
      'hardware-address': '02:00:00:00:00:01',
      'ip-addresses': [
        { 'ip-address': 'fe80::1', 'ip-address-type': 'ipv6', prefix: 64 },
        { 'ip-address': '10.0.2.2', 'ip-address-type': 'ipv4', prefix: 24 },
      ],
    },
    { name: 'dummy0' },
  ]

  expect(readInterfaces(answer)).toEqual([
    { interfaceName: 'enp1s0', mac: '02:00:00:00:00:01', ip: '10.0.2.2', ips: ['10.0.2.2', 'fe80::1'] },
    { interfaceName: 'dummy0', mac: undefined },
  ])
})

test('a guest that tells of a million addresses is believed a few', () => {
  const addresses = Array.from({ length: 10_000 }, (_, i) => ({ 'ip-address': `::${i}`, 'ip-address-type': 'ipv6' }))
  const answer = Array.from({ length: 1_000 }, (_, i) => ({ name: `eth${i}`, 'ip-addresses': addresses }))

  const interfaces = readInterfaces(answer)

  expect(interfaces).toHaveLength(256)
  expect(interfaces[0]?.ips).toHaveLength(32)
})

test('users, file systems, version, time zone and system come in the words of the API', () => {
  expect(readUsers([{ user: 'debian', 'login-time': 1.5 }])).toEqual([{ userName: 'debian', loginTime: 1.5 }])
  expect(
    readFilesystems([
      {
        name: 'vda1',
        mountpoint: '/',
        type: 'ext4',
        'used-bytes': 1,
        'total-bytes': 2,
        disk: [{ 'bus-type': 'virtio', serial: 'S' }],
      },
    ]),
  ).toEqual([
    {
      diskName: 'vda1',
      mountPoint: '/',
      fileSystemType: 'ext4',
      usedBytes: 1,
      totalBytes: 2,
      disk: [{ busType: 'virtio', serial: 'S' }],
    },
  ])
  expect(readAgentInfo({ version: '9.0', supported_commands: [{ name: 'guest-ping', enabled: true }] })).toEqual({
    version: '9.0',
    commands: [{ name: 'guest-ping', enabled: true }],
  })
  expect(readTimezone({ zone: 'CET', offset: 3600 })).toBe('CET, 3600')
  expect(readOsInfo({ id: 'debian', 'kernel-release': '6.12' })).toMatchObject({ id: 'debian', kernelRelease: '6.12' })
})

test.each([null, 'text', 7, [], {}, [null], [{ 'ip-addresses': 'none' }]])(
  '%p as an answer breaks nothing',
  (answer) => {
    expect(() =>
      [readInterfaces, readUsers, readFilesystems, readAgentInfo, readOsInfo].map((read) => read(answer)),
    ).not.toThrow()
  },
)
