import { expect, test } from '@jest/globals'
import { lastWords } from './last-words.ts'

const line = (level: string, msg: string, error?: string) =>
  JSON.stringify({ level, component: 'virt-launcher', msg, ...(error && { error: { message: error } }) })

test.each<[what: string, message: string | undefined, words: string]>([
  ['nothing', undefined, ''],
  ['a sentence', 'no space left on device\n', 'no space left on device'],
  [
    'a log with a reason for the end',
    [
      line('info', 'ready'),
      line('fatal', 'the launcher failed', 'no guest was started'),
      line('error', 'code 1'),
      '',
    ].join('\n'),
    'no guest was started',
  ],
  ['a log with an error', [line('error', 'cannot open'), line('info', 'bye')].join('\n'), 'cannot open'],
  ['a log that tells of nothing bad', [line('info', 'hello'), line('info', 'bye')].join('\n'), 'bye'],
  ['a line that is cut off', '{"level":"info","ms', '{"level":"info","ms'],
])('%s', (_what, message, words) => expect(lastWords(message)).toBe(words))

test('a long line is cut', () => expect(lastWords('x'.repeat(5000))).toHaveLength(301))
