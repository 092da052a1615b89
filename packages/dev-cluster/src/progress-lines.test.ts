import { describe, expect, it } from '@jest/globals'
import { progressLines } from './progress-lines.ts'

const written = (terminal: boolean, work: (progress: ReturnType<typeof progressLines>) => void): string => {
  let all = ''
  work(progressLines((text) => (all += text), terminal))
  return all
}

describe('the lines of two lists of steps at once', () => {
  it('name on a terminal all that is being done, below what is done', () => {
    const lines = written(true, (progress) => {
      progress.started?.('Kubernetes available', 'takes minutes')
      progress.started?.('image node')
      progress.done?.('image node', 1.23)
      progress.done?.('Kubernetes available', 300, 'from source')
    })
    expect(lines.split('\r\x1b[K')).toEqual([
      '',
      '..  Kubernetes available - takes minutes',
      '..  Kubernetes available  |  image node',
      'ok  image node (1.2 s)\n..  Kubernetes available - takes minutes',
      'ok  Kubernetes available: from source (300.0 s)\n',
    ])
  })

  it('are whole lines in a log, whichever ends first', () => {
    const lines = written(false, (progress) => {
      progress.started?.('Kubernetes available', 'takes minutes')
      progress.started?.('image node')
      progress.failed?.('image node', 1)
      progress.ended?.('Kubernetes available', 2)
    })
    expect(lines).toBe(
      [
        '..  Kubernetes available - takes minutes',
        '--  image node failed (1.0 s)',
        '--  Kubernetes available ended unfinished (2.0 s)',
        '',
      ].join('\n'),
    )
  })
})
