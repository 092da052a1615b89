import { describe, expect, test } from '@jest/globals'
import { programName, run } from '../src/root.ts'
import { api, interrupt, terminal, virtctl } from './command-line.ts'

describe('usage', () => {
  test('a missing argument, an unknown command and an unknown flag exit with 1 and say so', async () => {
    expect(await virtctl('start')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/missing required argument 'vm'/),
    })
    expect(await virtctl('fly')).toMatchObject({ code: 1, err: expect.stringMatching(/unknown command 'fly'/) })
    expect(await virtctl('start', 'a', '--fast')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unknown option '--fast'/),
    })
  })

  test('no command at all, and the first word of some alone, show what there is', async () => {
    for (const [argv, listed] of [
      [[], /\n {2}start +Start a virtual machine/],
      [['create'], /\n {2}instancetype/],
      [['adm'], /log-verbosity/],
    ] as const) {
      const used = terminal()
      expect(await run(argv, 'virtctl', used, interrupt.signal)).toBe(0)
      expect(used.out()).toMatch(listed)
    }
  })

  test('a refusal is told in the server’s words, without addresses', async () => {
    const path = '/apis/kubevirt.io/v1/namespaces/n/virtualmachineinstances/a'
    api.answers.set(`GET ${path}`, { status: 404, body: { kind: 'Status', code: 404, message: '"a" not found' } })
    expect(await virtctl('evacuate-cancel', 'vm', 'a')).toEqual({
      code: 1,
      out: '',
      err: 'Error getting VirtualMachineInstance a: "a" not found\n',
    })
  })

  test('help has examples under the name that the program was called by', async () => {
    const used = terminal()
    expect(await run(['start', '--help'], 'kubectl virt', used, interrupt.signal)).toBe(0)
    expect(used.out()).toMatch(/kubectl virt start myvm --paused/)
  })

  test.each([
    ['/usr/bin/virtctl', 'virtctl'],
    ['/usr/local/bin/kubectl-virt', 'kubectl virt'],
    ['/somewhere/main.ts', 'virtctl'],
  ])('called as %s it is %s', (path, name) => expect(programName(path)).toBe(name))
})

describe('version', () => {
  test('prints both, in the form that scripts know', async () => {
    api.answers.set('GET /apis/subresources.kubevirt.io/v1/version', { status: 200, body: { gitVersion: 'v1.9.0' } })
    const { out } = await virtctl('version')
    expect(out).toMatch(/^Client Version: version\.Info\{GitVersion:"v1\.9\.0\+kubevirt-ts/)
    expect(out).toMatch(/\nServer Version: version\.Info\{GitVersion:"v1\.9\.0", /)
  })

  test('a cluster without KubeVirt is told as such', async () => {
    expect(await virtctl('version')).toMatchObject({ code: 1, err: expect.stringMatching(/is KubeVirt installed/) })
  })
})
