import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodes, type Node } from '@kubevirt-ts/api'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import type { Program } from './child.ts'
import { stages, type PodTiming } from './stages.ts'

/** Pods that a fake node takes. */
export const podsPerNode = 250

export const nodeNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `fake-${index}`)

/** Registers nodes that can run guests, as a kubelet and virt-handler would. */
export async function createNodes(client: KubeClient, count: number): Promise<void> {
  await Promise.all(nodeNames(count).map((name) => client.create(nodes, fakeNode(name))))
}

function fakeNode(name: string): Node {
  const capacity = {
    cpu: '128',
    memory: '1Ti',
    'ephemeral-storage': '1Ti',
    pods: String(podsPerNode),
    'devices.kubevirt.io/container-disk': '1k',
    'devices.kubevirt.io/kvm': '1k',
    'devices.kubevirt.io/tun': '1k',
    'devices.kubevirt.io/vhost-net': '1k',
  }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        'kubevirt.io/schedulable': 'true',
        'machine-type.node.kubevirt.io/q35': 'true',
      },
      annotations: { 'kubevirt.io/heartbeat': new Date().toISOString() },
    },
    status: { capacity, allocatable: capacity },
  } as Node
}

/** KWOK's controller: the kubelet of all nodes. */
export async function kwok(file: string, state: string, kubeconfig: string, timing: PodTiming): Promise<Program> {
  const config = join(state, 'kwok.yaml')
  await writeFile(config, stages(timing))
  return {
    name: 'kwok',
    argv: [
      file,
      '--kubeconfig',
      kubeconfig,
      '--config',
      config,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=0',
      '--cidr=198.18.0.0/17',
      '--node-ip=198.19.255.2',
    ],
    ready: () => Promise.resolve(true),
  }
}
