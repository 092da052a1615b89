import { expect, test } from '@jest/globals'
import { ApiError, Unanswered } from '@kubevirt-ts/kubecli'
import { bearingSilence } from './silence.ts'

const silent = async (): Promise<string> => {
  throw new Unanswered('no answer')
}
const refusing = (code: number) => async (): Promise<string> => {
  throw new ApiError({ message: 'no' }, { request: 'GET', code })
}
const answering = async (): Promise<string> => 'yes'

test('a server that is away for a while is asked again, and that is told once', async () => {
  const told: string[] = []
  const bear = bearingSilence((line) => told.push(line))

  expect([await bear(silent), await bear(refusing(503)), await bear(answering)]).toEqual([undefined, undefined, 'yes'])
  expect(told).toEqual(['no answer; asking again for 120 s'])
  await bear(silent)
  expect(told).toHaveLength(2)
})

test('it is not waited for without end, and a refusal is none of its silences', async () => {
  let ms = 0
  const bear = bearingSilence(
    () => undefined,
    () => ms,
  )
  await bear(silent)
  ms = 120_001
  await expect(bear(silent)).rejects.toThrow('no answer')
  await expect(bear(refusing(403))).rejects.toThrow('no')
})
