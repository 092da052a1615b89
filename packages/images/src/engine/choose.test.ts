import { describe, expect, it } from '@jest/globals'
import { detectEngine } from './choose.ts'
import { parseReferences } from './references.ts'

const machineWith =
  (...programs: string[]) =>
  async ([program = '', subject]: readonly string[]): Promise<boolean> =>
    programs.includes(program) || programs.includes(`${program} ${subject}`)

describe('the container engine', () => {
  it('is buildah before the others', async () => {
    expect(await detectEngine(machineWith('podman', 'docker', 'buildah'))).toBe('buildah')
  })

  it('is docker only where its daemon answers', async () => {
    expect(await detectEngine(machineWith('docker --version', 'podman'))).toBe('podman')
    expect(await detectEngine(machineWith('docker info'))).toBe('docker')
  })

  it('is nothing on a fresh machine', async () => {
    expect(await detectEngine(machineWith())).toBeUndefined()
  })
})

describe('the listing of an engine', () => {
  it('gives every name its id, with the host that docker leaves out', () => {
    const listing = [
      'localhost/kubevirt-ts/virt-api:1 aaa',
      'docker.io/library/debian:trixie-slim bbb',
      'debian:bookworm ccc',
      'team/tool:2 ddd',
      '<none>:<none> eee',
      '',
    ].join('\n')
    expect([...parseReferences(listing)]).toEqual([
      ['localhost/kubevirt-ts/virt-api:1', 'aaa'],
      ['docker.io/library/debian:trixie-slim', 'bbb'],
      ['docker.io/library/debian:bookworm', 'ccc'],
      ['docker.io/team/tool:2', 'ddd'],
    ])
  })
})
