import { inflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { portablePixmapToPng } from './png.ts'

test('every pixel of a picture arrives in the PNG', () => {
  const pixels = Buffer.from(Array.from({ length: 2 * 3 * 3 }, (_, i) => i))

  const png = portablePixmapToPng(Buffer.concat([Buffer.from('P6\n2 3\n255\n'), pixels]))

  expect(png.readUInt32BE(16)).toBe(2)
  expect(png.readUInt32BE(20)).toBe(3)
  const at = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
  expect([...rows]).toEqual([0, 0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 9, 10, 11, 0, 12, 13, 14, 15, 16, 17])
})

test.each(['P5\n1 1\n255\nx', 'P6\n2 2\n255\nxyz', ''])('%j is refused', (text) => {
  expect(() => portablePixmapToPng(Buffer.from(text))).toThrow('screenshot')
})
