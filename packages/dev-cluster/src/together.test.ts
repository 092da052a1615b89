import { describe, expect, it } from '@jest/globals'
import { runSteps } from './steps.ts'
import { together } from './together.ts'

describe('things done together', () => {
  it('are done at the same time', async () => {
    const met = Promise.withResolvers<void>()
    await together([() => met.promise, async () => met.resolve()])
  })

  it('end with the first failure, after the others have stopped between two of their steps', async () => {
    const begun: string[] = []
    const failed = Promise.withResolvers<void>()
    const step = (title: string, run: () => Promise<void> = async () => {}) => ({
      title,
      run: () => {
        begun.push(title)
        return run()
      },
    })
    const working = [step('long', () => failed.promise), step('never')]
    const failing = [step('failing', () => Promise.reject(new Error('no disk')))]
    const ending = together([
      (signal) => runSteps(working, {}, signal),
      (signal) => {
        signal.addEventListener('abort', () => failed.resolve())
        return runSteps(failing, {}, signal)
      },
    ])
    await expect(ending).rejects.toThrow('no disk')
    expect(begun).toEqual(['long', 'failing'])
  })

  it('end when those around them do', async () => {
    const outer = new AbortController()
    outer.abort(new Error('elsewhere'))
    const ran: string[] = []
    const inner = together(
      [(signal) => runSteps([{ title: 'inner', run: async () => void ran.push('inner') }], {}, signal)],
      outer.signal,
    )
    await expect(inner).rejects.toThrow('elsewhere')
    expect(ran).toEqual([])
  })
})
