/** The VMs that the tests create, as a user would write them. */
import { tinyGuestArguments } from '@kubevirt-ts/images'

export const guest: { readonly tiny: string; readonly kernel: string; readonly debian: string } = {
  tiny: 'localhost/kubevirt-ts/guest-tiny:0.1.0',
  kernel: 'localhost/kubevirt-ts/guest-tiny-kernel:0.1.0',
  debian: 'localhost/kubevirt-ts/guest-debian:0.1.0',
}

type Options = {
  readonly name: string
  readonly namespace: string
  readonly runStrategy?: string
  readonly graceSeconds?: number
  readonly schedulerName?: string
}

/** The tiny guest from its container disk, on the pod network. */
export function tinyVm({ name, namespace, runStrategy = 'Always', graceSeconds = 30, schedulerName }: Options) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy,
      template: {
        metadata: { labels: { 'kubevirt.io/vm': name } },
        spec: {
          terminationGracePeriodSeconds: graceSeconds,
          ...(schedulerName === undefined ? {} : { schedulerName }),
          domain: {
            devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] },
            resources: { requests: { memory: '128Mi' } },
          },
          volumes: [{ name: 'root', containerDisk: { image: guest.tiny, imagePullPolicy: 'IfNotPresent' } }],
        },
      },
    },
  }
}

/** A tiny guest that nobody starts again when it has ended. */
export function tinyVmi(options: Options) {
  const { spec, metadata } = tinyVm(options).spec.template
  const { name, namespace } = options
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace, ...metadata },
    spec,
  }
}

/** The tiny guest as a kernel and an initrd, with a config drive and a claim's content that it may change for itself. */
export function kernelVm(options: Options, { drive, claimName }: { drive: string; claimName: string }) {
  const { spec, ...vm } = tinyVm(options)
  const disk = (name: string) => ({ name, serial: name.toUpperCase(), disk: { bus: 'virtio' } })
  const container = {
    image: guest.kernel,
    kernelPath: '/boot/vmlinuz',
    initrdPath: '/boot/initrd',
    imagePullPolicy: 'IfNotPresent',
  }
  const domain = {
    ...spec.template.spec.domain,
    devices: { disks: [disk('drive'), disk('base')] },
    firmware: { kernelBoot: { kernelArgs: tinyGuestArguments(), container } },
  }
  const volumes = [
    { name: 'drive', cloudInitConfigDrive: { userData: drive } },
    { name: 'base', ephemeral: { persistentVolumeClaim: { claimName } } },
  ]
  return { ...vm, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, domain, volumes } } } }
}

/** The tiny guest in place of its pod on the pod network. */
export function inPlaceOfPodVm(binding: 'bridge' | 'passtBinding', options: Options) {
  const vm = tinyVm(options)
  const { template } = vm.spec
  const devices = {
    ...template.spec.domain.devices,
    interfaces: [{ name: 'default', [binding]: {}, ports: [{ port: 80 }] }],
  }
  const networks = [{ name: 'default', pod: {} }]
  const spec = { ...template.spec, domain: { ...template.spec.domain, devices }, networks }
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec } } }
}

/** The Debian guest with cloud-init and its agent, and an empty disk. */
export function debianVm({ name, namespace, runStrategy = 'Always', graceSeconds = 60 }: Options, userData: string) {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy,
      template: {
        metadata: { labels: { 'kubevirt.io/vm': name } },
        spec: {
          terminationGracePeriodSeconds: graceSeconds,
          domain: {
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' } },
                { name: 'scratch', serial: 'SCRATCH', disk: { bus: 'virtio' } },
                { name: 'seed', disk: { bus: 'virtio' } },
              ],
            },
            memory: { guest: '512Mi' },
          },
          volumes: [
            { name: 'root', containerDisk: { image: guest.debian, imagePullPolicy: 'IfNotPresent' } },
            { name: 'scratch', emptyDisk: { capacity: '64Mi' } },
            { name: 'seed', cloudInitNoCloud: { userData } },
          ],
        },
      },
    },
  }
}

/** A pod that answers HTTP with `body`, and the Service in front of it. */
export function webService({
  name,
  namespace,
  body,
  image,
}: {
  name: string
  namespace: string
  body: string
  image: string
}) {
  const script = `require('node:http').createServer((_, response) => response.end(${JSON.stringify(body)})).listen(8080, '0.0.0.0')`
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace, labels: { app: name } },
        spec: {
          containers: [
            { name: 'web', image, command: ['/usr/bin/node', '-e', script], ports: [{ containerPort: 8080 }] },
          ],
          terminationGracePeriodSeconds: 0,
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace },
        spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] },
      },
    ],
  }
}

/** A pod that does nothing, of an image with Node in it. */
export function smallPod({
  name,
  namespace,
  image,
  ...spec
}: {
  name: string
  namespace: string
  image: string
  schedulerName?: string
  nodeName?: string
  requests?: Record<string, string>
}) {
  const { requests = { cpu: '10m', memory: '16Mi' }, ...more } = spec
  const command = ['/usr/bin/node', '-e', 'setInterval(() => undefined, 60_000)']
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      containers: [{ name: 'small', image, command, resources: { requests } }],
      terminationGracePeriodSeconds: 0,
      ...more,
    },
  }
}

/** Makes a node look full to schedulers. */
export function ballast({ node, ...pod }: { name: string; namespace: string; image: string; node: string }) {
  return smallPod({ ...pod, nodeName: node, requests: { cpu: '800m', memory: '4Gi' } })
}
