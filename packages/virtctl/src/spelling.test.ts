import { expect, test } from '@jest/globals'
import { plainSpelling } from './spelling.ts'

const flags = ['--force', '-r, --recursive', '-n, --namespace <name>', '-t, --local-ssh-opts <option>', '--kvm [on]']

test.each([
  [
    ['--force=true', '--force=1', '-r=true'],
    ['--force', '--force', '--recursive'],
  ],
  [['--force=false', '-r=F', 'a'], ['a']],
  [['--force=maybe'], ['--force=maybe']],
  [
    ['-n=there', '--namespace=here'],
    ['--namespace=there', '--namespace=here'],
  ],
  [['-t=-o StrictHostKeyChecking=no'], ['--local-ssh-opts=-o StrictHostKeyChecking=no']],
  [
    ['-t', '-n=x', '-n', '--force=true'],
    ['-t', '-n=x', '-n', '--force=true'],
  ],
  [
    ['--kvm=false', '--kvm', '-n=a'],
    ['--kvm=false', '--kvm', '--namespace=a'],
  ],
  [
    ['--unknown=true', '-x=1'],
    ['--unknown=true', '-x=1'],
  ],
  [
    ['ssh', '--', '-n=x', '--force=true'],
    ['ssh', '--', '-n=x', '--force=true'],
  ],
  [['-n'], ['-n']],
])('%j is %j', (argv, expected) => {
  const known = flags.map((each) => ({ flags: each, help: '' }))
  expect(plainSpelling(argv, known)).toEqual(expected)
})
