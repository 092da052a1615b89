/** Runs tasks one at a time in the order they came; each keeps the others out until its promise is settled. */
export type Exclusive = <T>(task: () => Promise<T>) => Promise<T>

export function exclusive(): Exclusive {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}
