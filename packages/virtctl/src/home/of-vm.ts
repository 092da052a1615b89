import { nodes, virtualMachines, type VirtualMachine } from '@kubevirt-ts/api'
import { isForbidden, isNotFound } from '@kubevirt-ts/kubecli'
import { CommandError } from '../command.ts'
import type { Cluster, Output } from '../command.ts'
import { annotate, homeOf } from './annotations.ts'
import type { HomeFlags } from './home.ts'

export async function showHome(cluster: Cluster, name: string): Promise<Output> {
  const { node, policy, returnTo } = homeOf(await vmNamed(cluster, name))
  const lines = [
    `Home:       ${node ?? 'none yet; the node of the next start becomes it'}`,
    `Policy:     ${policy ?? "the scheduler's own"}`,
    ...(returnTo === undefined ? [] : [`Return to:  ${returnTo}, by "home return ${returnTo}"`]),
  ]
  return lines.join('\n')
}

/** Gives a VM its first home, or a policy; an existing home is only changed by `move`. */
export async function setHome(cluster: Cluster, name: string, { node, policy }: HomeFlags): Promise<Output> {
  if (node === undefined && policy === undefined) throw new CommandError('home set needs --node or --policy')
  const vm = await vmNamed(cluster, name)
  if (node !== undefined) await checkNode(cluster, node)
  await annotate(cluster, vm, ({ node: before }) => {
    if (node !== undefined && before !== undefined && before !== node) {
      throw new CommandError(`VM ${name} lives on ${before} already; use "home move ${name} --node ${node}"`)
    }
    return { ...(node === undefined ? {} : { node }), ...(policy === undefined ? {} : { policy }) }
  })
  const told = [
    ...(node === undefined ? [] : [`its home is ${node}`]),
    ...(policy === undefined ? [] : [`its policy is ${policy}`]),
  ]
  return `VM ${name}: ${told.join(', ')}`
}

export async function moveHome(cluster: Cluster, name: string, { node }: HomeFlags): Promise<Output> {
  if (node === undefined) throw new CommandError('home move needs --node')
  await checkNode(cluster, node)
  await annotate(cluster, await vmNamed(cluster, name), () => ({ node, returnTo: null }))
  return `VM ${name}: its home is ${node}, where it starts next; restart or migrate it to move it now`
}

export async function forgetHome(cluster: Cluster, name: string): Promise<Output> {
  await annotate(cluster, await vmNamed(cluster, name), () => ({ node: null, returnTo: null }))
  return `VM ${name}: its home is forgotten; the node of the next start becomes it`
}

async function vmNamed({ client, namespace }: Cluster, name: string): Promise<VirtualMachine> {
  return client.get(virtualMachines, { name, namespace }).catch((error: Error) => {
    throw new CommandError(isNotFound(error) ? `there is no VM ${name} in namespace ${namespace}` : error.message)
  })
}

/** A misspelt node would keep the VM waiting for ever. Who may not see nodes is believed. */
async function checkNode({ client }: Cluster, name: string): Promise<void> {
  await client.get(nodes, { name }).catch((error: Error) => {
    if (isForbidden(error)) return
    throw new CommandError(isNotFound(error) ? `there is no node ${name}` : error.message)
  })
}
