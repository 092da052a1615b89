import { namespaces, pods, virtualMachineInstances, type Pod, type VirtualMachineInstance } from '@kubevirt-ts/api'
import { tinyGuestArguments } from '@kubevirt-ts/images'
import { isAlreadyExists, isNotFound } from '@kubevirt-ts/kubecli'
import type { Bench } from '../row.ts'

const kernelImage = 'localhost/kubevirt-ts/guest-tiny-kernel:0.1.0'

type Hardware = {
  readonly domain: Pick<VirtualMachineInstance['spec']['domain'], 'devices' | 'firmware'>
  readonly volumes?: VirtualMachineInstance['spec']['volumes']
}

/** A guest of the least memory, which goes at once when it is deleted. */
const smallVmi = (namespace: string, name: string, { domain, volumes }: Hardware): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name, namespace },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { ...domain, memory: { guest: '128Mi' }, resources: {} },
    ...(volumes && { volumes }),
  },
})

/** The smallest guest: kernel and initrd alone. */
export const kernelBootVmi = (namespace: string, name: string): VirtualMachineInstance =>
  smallVmi(namespace, name, {
    domain: {
      devices: {},
      firmware: {
        kernelBoot: {
          kernelArgs: tinyGuestArguments(),
          container: {
            image: kernelImage,
            kernelPath: '/boot/vmlinuz',
            initrdPath: '/boot/initrd',
            imagePullPolicy: 'IfNotPresent',
          },
        },
      },
    },
  })

/** The tiny guest from its container disk. */
export const containerDiskVmi = (namespace: string, name: string): VirtualMachineInstance =>
  smallVmi(namespace, name, {
    domain: { devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
    volumes: [
      {
        name: 'root',
        containerDisk: { image: 'localhost/kubevirt-ts/guest-tiny:0.1.0', imagePullPolicy: 'IfNotPresent' },
      },
    ],
  })

/** The reference: a pod of two containers that do nothing. */
export const plainPod = (namespace: string, name: string, image: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: ['first', 'second'].map((container) => ({ name: container, image, command: ['sleep', 'infinity'] })),
  },
})

/** The same, of containers that end as soon as they are told to, and have time for it. */
export const obedientPod = (namespace: string, name: string, image: string): Pod => {
  const pod = plainPod(namespace, name, image)
  const program = "process.on('SIGTERM', () => process.exit(0)); setInterval(() => undefined, 60_000)"
  const containers = pod.spec?.containers.map((each) => ({ ...each, command: ['/usr/bin/node', '-e', program] })) ?? []
  return { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 30, containers } }
}

export async function ensureNamespace({ client, namespace }: Bench): Promise<void> {
  try {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

type Watched = { readonly metadata?: { readonly name?: string } }

/** Creates an object and resolves with the seconds until `ready` says so of what a watch shows. */
export async function timeUntil<T extends Watched>(
  { client, namespace }: Bench,
  resource: Parameters<Bench['client']['create']>[0],
  object: T,
  ready: (seen: T) => boolean,
): Promise<number> {
  const name = object.metadata?.name ?? ''
  const signal = AbortSignal.timeout(120_000)
  const { metadata } = await client.list(resource, { namespace, fieldSelector: `metadata.name=${name}` })
  const started = performance.now()
  const created = client.create(resource, object)
  for await (const { type, object: seen } of client.watch(resource, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: metadata.resourceVersion,
    signal,
  })) {
    if (type !== 'BOOKMARK' && ready(seen as T)) {
      await created
      return (performance.now() - started) / 1000
    }
  }
  throw new Error(`the watch of ${namespace}/${name} ended before it was ready`)
}

/**
 * Deletes a VMI or pod and waits until it is gone.
 * @param grace `forced`: a pod's record goes at once, whatever of it still runs; `own`: the time that its spec gives it
 */
export async function remove(
  { client, namespace }: Bench,
  resource: typeof pods | typeof virtualMachineInstances,
  name: string,
  grace: 'forced' | 'own' = 'forced',
): Promise<void> {
  const reference = { namespace, name }
  try {
    await client.delete<unknown>(resource, reference, grace === 'forced' ? { gracePeriodSeconds: 0 } : {})
    for (;;) {
      await client.get<unknown>(resource, reference)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
