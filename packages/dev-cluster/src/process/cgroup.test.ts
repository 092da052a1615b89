import { describe, expect, it } from '@jest/globals'
import { parseHierarchies } from './cgroup.ts'

describe('cgroup trees', () => {
  it('are found in a machine that mixes both versions', () => {
    const mounts =
      'tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n'
    expect(parseHierarchies(mounts)).toEqual([
      { root: '/sys/fs/cgroup/cpu', version: 1 },
      { root: '/sys/fs/cgroup/unified', version: 2 },
    ])
  })
})
