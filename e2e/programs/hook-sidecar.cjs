// A hook sidecar as a user would write one, in a few lines: gRPC is HTTP/2 with five bytes before each message.
// It names the board in the domain, and adds a file to what cloud-init writes.
const { createServer } = require('node:http2')

const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >>> 7)])
const field = (number, content) => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes])
}
const fieldsOf = (message) => {
  const fields = {}
  let at = 0
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = message[at++]
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const tag = number()
    const length = number()
    fields[tag >>> 3] = message.subarray(at, (at += length))
  }
  return fields
}

const hookPoints = ['OnDefineDomain', 'PreCloudInitIso'].map((name) => field(3, field(1, name)))
const board = "<baseBoard><entry name='manufacturer'>Hooked Boards</entry></baseBoard></sysinfo>"
const calls = {
  '/kubevirt.hooks.info.Info/Info': () => Buffer.concat([field(1, 'board'), ...hookPoints, field(4, 'v1alpha2')]),
  '/kubevirt.hooks.v1alpha2.Callbacks/OnDefineDomain': (asked) =>
    field(1, fieldsOf(asked)[1].toString().replace('</sysinfo>', board)),
  '/kubevirt.hooks.v1alpha2.Callbacks/PreCloudInitIso': (asked) => {
    const data = JSON.parse(fieldsOf(asked)[3].toString())
    const more = 'write_files:\n  - { path: /etc/hooked, content: written-by-a-sidecar }\n'
    return field(3, JSON.stringify({ ...data, UserData: data.UserData + '\n' + more }))
  },
}

createServer()
  .on('stream', (stream, headers) => {
    const chunks = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => {
      const answer = calls[headers[':path']](Buffer.concat(chunks).subarray(5))
      const head = Buffer.alloc(5)
      head.writeUInt32BE(answer.length, 1)
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.concat([head, answer]))
    })
  })
  .listen('/var/run/kubevirt-hooks/board.sock')
process.on('SIGTERM', () => process.exit(0))
