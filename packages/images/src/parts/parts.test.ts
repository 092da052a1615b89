import { describe, expect, it } from '@jest/globals'
import { missingTools } from '../tools.ts'
import { workspaceClosure } from './bundle.ts'
import { cProgram } from './c-program.ts'

describe('parts of images', () => {
  it('a bundle depends on every workspace package below its service', () => {
    const graph: Record<string, string[]> = {
      api: [],
      service: [],
      kubecli: ['api'],
      handler: ['kubecli', 'service'],
      other: ['api'],
    }
    expect(workspaceClosure('handler', (name) => graph[name] ?? [])).toEqual(['api', 'handler', 'kubecli', 'service'])
  })

  it('a program whose source is missing is named with its file', async () => {
    const program = cProgram({ name: 'virt-tail', source: '/nowhere/virt-tail.c' })
    await expect(program.key()).rejects.toMatchObject({
      reason: 'SourceMissing',
      message: expect.stringMatching(/virt-tail\.c is missing, so virt-tail cannot be compiled/),
    })
  })

  it('packages are installed only for tools that are not there', () => {
    expect(missingTools(['gcc', 'libc', 'strip'], (file) => file === '/usr/bin/gcc')).toEqual(['libc6-dev', 'binutils'])
    expect(missingTools(['gcc'], () => true)).toEqual([])
  })
})
