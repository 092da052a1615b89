// A gRPC server that does nothing but answer: the reference of calls to a launcher. Plain grpc-js, on the socket argv[2].
import { Server, ServerCredentials } from '@grpc/grpc-js'

const bytes = (value) => value
const server = new Server()
server.addService(
  {
    echo: {
      path: '/echo/Echo',
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  },
  { echo: (call, callback) => callback(null, call.request) },
)
server.bindAsync(`unix:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
  console.log('up')
})
// Ends with whoever started it.
process.stdin.resume().on('end', () => process.exit())
