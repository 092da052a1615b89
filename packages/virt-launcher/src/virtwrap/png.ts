import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const eightBitRgb = [8, 2, 0, 0, 0]

/** A picture in the form that QEMU writes (PPM, `P6`, 8 bits for each colour) as PNG. Throws for any other form. */
export function portablePixmapToPng(ppm: Buffer): Buffer {
  const header = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 64))
  if (!header) throw new Error('the screenshot is neither PNG nor PPM of 8 bits')
  const [width, height] = [Number(header[1]), Number(header[2])]
  const pixels = ppm.subarray(header[0].length)
  if (pixels.length < width * height * 3) throw new Error('the screenshot is cut off')
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([
    signature,
    chunk('IHDR', Buffer.concat([size, Buffer.from(eightBitRgb)])),
    chunk('IDAT', deflateSync(unfiltered(pixels, width * 3, height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each row of a PNG begins with the number of its filter; 0 is none. */
function unfiltered(pixels: Buffer, rowBytes: number, rows: number): Buffer {
  const data = Buffer.alloc((rowBytes + 1) * rows)
  for (let row = 0; row < rows; row++) pixels.copy(data, row * (rowBytes + 1) + 1, row * rowBytes, (row + 1) * rowBytes)
  return data
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
