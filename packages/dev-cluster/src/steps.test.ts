import { describe, expect, it } from '@jest/globals'
import { Failure, describeFailure } from './failure.ts'
import { progressLines } from './progress-lines.ts'
import { runSteps } from './steps.ts'

describe('steps', () => {
  it('report each one with its time and note', async () => {
    let written = ''
    const steps = [
      { title: 'etcd ready', run: async () => undefined },
      { title: 'nodes started', hint: 'takes long', run: async () => 'demo-1' },
    ]
    await runSteps(
      steps,
      progressLines((text) => (written += text), false),
    )
    expect(written.replaceAll(/\d+\.\d s/g, 'T')).toBe(
      'ok  etcd ready (T)\n..  nodes started - takes long\nok  nodes started: demo-1 (T)\n',
    )
  })

  it('stop at the first failure, which then names its step', async () => {
    const ran: string[] = []
    const failing = {
      title: 'etcd ready',
      run: () => Promise.reject(new Failure('PortInUse', 'taken', { command: 'etcd', log: '/log', remedy: 'free it' })),
    }
    const failure = await runSteps([failing, { title: 'next', run: async () => void ran.push('next') }]).catch(
      (e: unknown) => e,
    )
    expect(ran).toEqual([])
    expect(describeFailure(failure)).toBe(
      [
        'error[PortInUse]: taken',
        '  step:    etcd ready',
        '  command: etcd',
        '  log:     /log',
        '  remedy:  free it',
      ].join('\n'),
    )
  })
})
