import type { KoffiFunc } from 'koffi'

type NativeFunction = KoffiFunc<(...args: any[]) => any>

/**
 * Calls a C function on a thread of libuv's pool, so that the event loop goes on while it waits. Also a must for short
 * calls that take one of libvirt's locks: the loop's thread may hold it while it waits for the main thread to run a
 * callback, and both would wait for ever.
 */
export function offThread<T>(fn: NativeFunction, ...args: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    fn.async(...args, (error: unknown, result: T) => (error ? reject(error as Error) : resolve(result)))
  })
}
