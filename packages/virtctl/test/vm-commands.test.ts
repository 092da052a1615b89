import { describe, expect, test } from '@jest/globals'
import { api, virtctl, vmis, vms } from './command-line.ts'

describe('VM commands', () => {
  test.each([
    ['start', ['start', 'a'], {}, 'VM a was scheduled to start\n'],
    ['start --paused', ['start', 'a', '--paused'], { paused: true }, 'VM a was scheduled to start\n'],
    ['stop', ['stop', 'a'], {}, 'VM a was scheduled to stop\n'],
    [
      'stop --force',
      ['stop', 'a', '--force=true', '--grace-period=0'],
      { gracePeriod: 0 },
      'VM a was scheduled to stop\n',
    ],
    [
      'restart --force',
      ['restart', 'a', '--force', '--grace-period', '0'],
      { gracePeriodSeconds: 0 },
      'VM a was scheduled to restart\n',
    ],
    [
      'start --dry-run',
      ['start', 'a', '--dry-run'],
      { dryRun: ['All'] },
      'Dry Run execution\nVM a was scheduled to start\n',
    ],
  ])('%s puts its options and says what was done', async (_, argv, body, out) => {
    const path = `${vms}/a/${argv[0]}`
    api.answers.set(`PUT ${path}`, { status: 202 })
    expect(await virtctl(...argv, '--token', 'secret')).toEqual({ code: 0, out, err: '' })
    expect(api.seen).toEqual([{ method: 'PUT', path, body, authorization: 'Bearer secret' }])
  })

  test('a refusal is told in the server’s words, with exit code 1', async () => {
    api.answers.set(`PUT ${vms}/a/start`, { status: 409, body: { message: 'VM is already running' } })
    expect(await virtctl('start', 'a')).toEqual({
      code: 1,
      out: '',
      err: 'Error starting VirtualMachine VM is already running\n',
    })
  })

  test.each([['--force'], ['--grace-period=0']])('%s alone is refused without asking the server', async (flag) => {
    expect(await virtctl('stop', 'a', flag)).toMatchObject({
      code: 1,
      err: 'Must both use --force=true and set --grace-period.\n',
    })
    expect(api.seen).toEqual([])
  })

  test('pausing a VM looks for the VM first, then pauses its guest', async () => {
    api.answers.set('GET /apis/kubevirt.io/v1/namespaces/n/virtualmachines/a', { status: 200, body: {} })
    api.answers.set(`PUT ${vmis}/a/pause`, { status: 200 })
    expect(await virtctl('pause', 'vm', 'a')).toEqual({ code: 0, out: 'VMI a was scheduled to pause\n', err: '' })
  })

  test('guest information is printed as indented JSON', async () => {
    api.answers.set(`GET ${vmis}/a/guestosinfo`, { status: 200, body: { hostname: 'a' } })
    expect((await virtctl('guestosinfo', 'a')).out).toBe('{\n  "hostname": "a"\n}\n')
  })
})
