import { expect, test } from '@jest/globals'
import { createLogger, setVerbosity } from './log.ts'
import { VirtError } from './error.ts'

function logging(verbosity?: number) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const log = createLogger({ component: 'virt-test', destination, ...(verbosity === undefined ? {} : { verbosity }) })
  return { log, lines }
}

test('a line tells component, level, time and message', () => {
  const { log, lines } = logging()

  log.info({ namespace: 'ns', name: 'guest' }, 'started')

  expect(lines).toEqual([
    {
      component: 'virt-test',
      level: 'info',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      namespace: 'ns',
      name: 'guest',
      msg: 'started',
    },
  ])
})

test('an error keeps its reason and its cause', () => {
  const { log, lines } = logging()

  log.error({ error: new VirtError('LauncherGone', 'no launcher', { cause: new Error('ENOENT') }) }, 'sync failed')

  expect(lines[0]).toMatchObject({
    level: 'error',
    error: { reason: 'LauncherGone', message: 'no launcher', cause: { message: 'ENOENT' } },
  })
})

test('a change of verbosity reaches children that were made before', () => {
  const { log, lines } = logging()
  const child = log.child({ name: 'guest' })
  child.debug('hidden')

  setVerbosity(log, 4)
  child.debug('shown')
  setVerbosity(child, 2)
  log.debug('hidden again')

  expect(lines.map(({ msg, name }) => [msg, name])).toEqual([['shown', 'guest']])
})
