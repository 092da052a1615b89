import { expect, test } from '@jest/globals'
import { bitString, integer, octetString, oid, time, utf8String } from './der.ts'

test.each([
  ['a small number', integer(Buffer.from([1])), '020101'],
  ['zero', integer(Buffer.from([0, 0])), '020100'],
  ['a number whose first bit is set', integer(Buffer.from([0, 0x80])), '02020080'],
  ['an identifier with large arcs', oid('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
  ['bits that end inside a byte', bitString(Buffer.from([0x84]), 2), '03020284'],
  ['a time before 2050', time(new Date('2026-11-29T21:18:05.123Z')), '170d3236313132393231313830355a'],
  ['a time from 2050 on', time(new Date('2050-01-02T03:04:05Z')), '180f32303530303130323033303430355a'],
  ['text', utf8String('é'), '0c02c3a9'],
])('%s is written as X.690 says', (_, written, expected) => {
  expect(written.toString('hex')).toBe(expected)
})

test.each([
  [127, '047f'],
  [128, '048180'],
  [256, '04820100'],
])('%i bytes have their length in front', (length, head) => {
  const written = octetString(Buffer.alloc(length))
  expect(written.subarray(0, written.length - length).toString('hex')).toBe(head)
})
