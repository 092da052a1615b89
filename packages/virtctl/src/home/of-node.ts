import { virtualMachines, type VirtualMachine } from '@kubevirt-ts/api'
import type { Cluster, Output } from '../command.ts'
import { annotate, homeOf, type Changes, type Home } from './annotations.ts'
import type { HomeFlags } from './home.ts'
import { tableLines } from '../table.ts'

export async function listHomes(cluster: Cluster, _name: string, { allNamespaces }: HomeFlags): Promise<Output> {
  const { items } = await cluster.client.list(virtualMachines, allNamespaces ? {} : { namespace: cluster.namespace })
  const rows = items
    .map((vm) => [vm.metadata.namespace ?? '', vm.metadata.name, ...shown(homeOf(vm))])
    .toSorted((a, b) => (a.join('/') < b.join('/') ? -1 : 1))
  return tableLines([['NAMESPACE', 'NAME', 'HOME', 'POLICY', 'RETURN-TO'], ...rows]).join('\n')
}

function shown({ node = '-', policy = '-', returnTo = '-' }: Home): string[] {
  return [node, policy, returnTo]
}

/** The VMs that live on the node may start elsewhere; the node is remembered. */
export async function evacuateNode(cluster: Cluster, node: string): Promise<Output> {
  const vms = await annotateAll(cluster, (home) =>
    // A VM that is away from an even earlier home goes back to that one.
    home.node === node ? { node: null, returnTo: home.returnTo ?? node } : undefined,
  )
  const next = `Cordon the node, then restart or migrate the ones that run there; "home return ${node}" brings them back.`
  return told(vms, node, `may start elsewhere, and remember ${node}`, next)
}

/** The VMs that were away from the node live there again. */
export async function returnToNode(cluster: Cluster, node: string): Promise<Output> {
  const vms = await annotateAll(cluster, (home) => (home.returnTo === node ? { node, returnTo: null } : undefined))
  return told(
    vms,
    node,
    `live on ${node} again`,
    'They go there when they start next; restart or migrate them to move them now.',
  )
}

/** Answers the VMs of all namespaces that were changed. */
async function annotateAll(
  cluster: Cluster,
  change: (home: Home) => Changes | undefined,
): Promise<readonly VirtualMachine[]> {
  const changed: VirtualMachine[] = []
  for (const vm of (await cluster.client.list(virtualMachines)).items) {
    if (await annotate(cluster, vm, change)) changed.push(vm)
  }
  return changed
}

function told(vms: readonly VirtualMachine[], node: string, what: string, next: string): string {
  if (vms.length === 0) return `No VM is concerned by node ${node}.`
  const names = vms.map(({ metadata }) => `  ${metadata.namespace}/${metadata.name}`)
  return [`${vms.length} VMs ${what}:`, ...names, next].join('\n')
}
