import { expect } from '@jest/globals'
import { apply, getVmi, kubectl, vmiInPhase } from '../../framework/kubectl.ts'
import { scenario } from '../../framework/scenario.ts'
import { tryVirtctl } from '../../framework/virtctl.ts'
import { inPlaceOfPodVm } from '../../manifests/vms.ts'

const fixed = 'fixed'

/** A guest that may do nothing but move, and cannot: its address belongs to its node. */
function fixedVm(namespace: string, node: string | undefined) {
  const vm = inPlaceOfPodVm('bridge', { name: fixed, namespace, graceSeconds: 0 })
  const { template } = vm.spec
  const spec = {
    ...template.spec,
    evictionStrategy: 'LiveMigrate',
    nodeSelector: { 'kubernetes.io/hostname': node },
  }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** `virtctl drain-plan --apply` moves what may move, tells of each step, and says that the node is not empty. */
export function planScenario(namespace: string, name: string): void {
  scenario(
    'virtctl drain-plan --apply moves a guest, leaves one that is blocked, and says so with exit code 1',
    async () => {
      const node = (await getVmi(namespace, name)).status?.nodeName ?? ''
      await apply(fixedVm(namespace, node))
      const before = await vmiInPhase(namespace, fixed, 'Running')
      try {
        const { code, stdout, stderr } = await tryVirtctl('drain-plan', node, '--apply', '--timeout', '100')
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('blocked') })
        expect(stdout).toContain(`node/${node} cordoned`)
        expect(stdout).toMatch(new RegExp(`${namespace}/${name} evicted`))
        expect(stdout).toMatch(new RegExp(`${namespace}/${name} moves: `))
        expect(stdout).toMatch(new RegExp(`${namespace}/${name} moved to (?!${node})`))
        expect(stdout).not.toContain(`${namespace}/${fixed} evicted`)
        const { metadata, status } = await getVmi(namespace, fixed)
        expect({ uid: metadata.uid, node: status?.nodeName }).toEqual({ uid: before.metadata.uid, node })
      } finally {
        await kubectl('uncordon', node)
        await kubectl('delete', 'vm', fixed, '-n', namespace, '--timeout=120s')
      }
    },
    360_000,
  )
}
