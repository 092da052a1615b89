import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { commandScript, nextCommands } from './commands.ts'

test('five next commands are offered, each with the path of its program', () => {
  const commands = nextCommands('/somewhere/bin')
  expect(commands).toHaveLength(5)
  for (const [command, why] of commands) {
    expect(command).toMatch(/^\/somewhere\/bin\/(virtctl|kubectl) /)
    expect(why).not.toBe('')
  }
})

test.each([
  [{}, "/its own/it's.yaml"],
  [{ KUBECONFIG: '/of the user' }, '/of the user'],
])('with environment %j a command reaches the cluster of %s', (env, kubeconfig) => {
  const script = commandScript("/its own/it's.yaml", '/usr/bin/env')
  const { stdout } = spawnSync('/bin/sh', ['-s', 'SAID=a b'], { input: script, env, encoding: 'utf8' })
  expect(stdout.split('\n')).toEqual(expect.arrayContaining([`KUBECONFIG=${kubeconfig}`, 'SAID=a b']))
})
