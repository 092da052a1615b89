/** The kernel's limit for a socket's path, without its closing zero byte. */
const maximumPathLength = 107

// A screenshot or the agent's answers are the largest messages; a guest must not make the node agent buffer more.
const maximumMessageBytes = 16 * 1024 * 1024

/** Of both sides. */
export const channelOptions = {
  'grpc.max_receive_message_length': maximumMessageBytes,
  'grpc.max_send_message_length': maximumMessageBytes,
  // Counts and traces of every call for a debugging service that nobody serves here.
  'grpc.enable_channelz': 0,
}

/** gRPC's name for a socket. Paths that the kernel would cut off are refused. */
export function unixTarget(socketPath: string): string {
  if (Buffer.byteLength(socketPath) > maximumPathLength)
    throw new Error(
      `socket path ${socketPath} is longer than ${maximumPathLength} bytes; reach it through a shorter path`,
    )
  return `unix:${socketPath}`
}
