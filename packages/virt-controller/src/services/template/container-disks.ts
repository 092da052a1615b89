import type { Container, PodVolume } from '@kubevirt-ts/api'
import { containerDisks as disksOf, defaultPullPolicy } from '@kubevirt-ts/vmispec'
import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import { helperResources } from './helper-resources.ts'
import type { ContainerDiskForm, Launch } from './launch.ts'
import { helperSecurityContext, launcherSecurityContext, nonRootEnvironment } from './security.ts'

/** An image whose files the guest uses: a container disk, or the kernel and initrd to boot. */
interface DiskImage {
  /** Of the volume. */
  readonly name: string
  readonly image: string
  readonly pullPolicy?: string
  /** Name of its socket and of its mount point. */
  readonly fileName: string
  /** Where compute finds it as an image volume. */
  readonly imageVolumePath: string
}

const kernelBootVolume = 'kernel-boot-volume'

/** Brings the images into the pod, in one of three forms. */
export function containerDisks(draft: Draft, launch: Launch): void {
  const images = diskImages(draft, launch)
  if (images.length > 0) forms[launch.containerDisks](draft, launch, images)
}

function diskImages({ pullSecrets }: Draft, { vmi }: Launch): DiskImage[] {
  const disks = disksOf(vmi.spec).map(({ name, index, source: { image, imagePullPolicy, imagePullSecret } }) => {
    if (imagePullSecret) pullSecrets.add(imagePullSecret)
    const fileName = `disk_${index}`
    const imageVolumePath = `/var/run/kubevirt-image-volume/${fileName}`
    return { name, image, pullPolicy: imagePullPolicy ?? defaultPullPolicy(image), fileName, imageVolumePath }
  })
  const kernel = vmi.spec.domain.firmware?.kernelBoot?.container
  if (kernel === undefined) return disks
  if (kernel.imagePullSecret) pullSecrets.add(kernel.imagePullSecret)
  const boot = { name: kernelBootVolume, fileName: 'kernel-boot', imageVolumePath: '/var/run/kubevirt-kernel-boot' }
  return [
    ...disks,
    { ...boot, image: kernel.image, ...(kernel.imagePullPolicy && { pullPolicy: kernel.imagePullPolicy }) },
  ]
}

const forms: Readonly<Record<ContainerDiskForm, (draft: Draft, launch: Launch, images: readonly DiskImage[]) => void>> =
  {
    imageVolume,
    classic,
    direct,
  }

/** The kubelet mounts the image itself. Init containers of the same images only make their digests known. */
function imageVolume(draft: Draft, launch: Launch, images: readonly DiskImage[]): void {
  for (const { name, image, pullPolicy, imageVolumePath } of images) {
    addVolume(draft, { name, image: imageReference(image, pullPolicy) })
    draft.compute.volumeMounts.push({ name, mountPath: imageVolumePath, readOnly: true })
  }
  if (launch.vmi.metadata.annotations?.['kubevirt.io/image-volume-skip-digest-resolution'] === 'true') return
  const { launcherImage, configuration } = launch.context
  addVolume(draft, { name: 'launcher-volume', image: imageReference(launcherImage, configuration.imagePullPolicy) })
  draft.initContainers.push(
    ...images.map((image) => ({
      ...diskContainer(image, launch),
      command: ['/container-disk-binary/usr/bin/container-disk'],
      args: ['--no-op'],
      volumeMounts: [{ name: 'launcher-volume', mountPath: '/container-disk-binary', readOnly: true }],
    })),
  )
}

function imageReference(reference: string, pullPolicy: string | undefined): NonNullable<PodVolume['image']> {
  return { reference, ...(pullPolicy === undefined ? {} : { pullPolicy }) }
}

/** An init container copies the helper program into a folder that the containers of the images mount. */
function classic(draft: Draft, launch: Launch, images: readonly DiskImage[]): void {
  const folder = `${launch.context.containerDiskDir}/${launch.vmi.metadata.uid}`
  const helper = {
    command: ['/usr/bin/container-disk'],
    volumeMounts: [
      { name: 'container-disks', mountPath: folder },
      { name: 'virt-bin-share-dir', mountPath: '/usr/bin' },
    ],
  }
  draft.initContainers.push(binaryCopy(launch))
  for (const image of images) {
    const container = { ...diskContainer(image, launch), ...helper }
    // Pulls the image before compute starts, so that the guest does not wait for it with its timers running.
    draft.initContainers.push({ ...container, name: `${container.name}-init`, args: ['--no-op'] })
    draft.containers.push({ ...container, args: ['--copy-path', `${folder}/${image.fileName}`] })
  }
}

function binaryCopy(launch: Launch): Container {
  const cpuLimit = launch.exactResources ? '10m' : '100m'
  const defaults = { requests: { cpu: '10m', memory: '1M' }, limits: { cpu: cpuLimit, memory: '40M' } }
  const { launcherImage, configuration } = launch.context
  return {
    name: 'container-disk-binary',
    image: launcherImage,
    imagePullPolicy: configuration.imagePullPolicy,
    command: ['/usr/bin/cp'],
    args: ['--preserve=all', '/usr/bin/container-disk', '/init/usr/bin/container-disk'],
    env: nonRootEnvironment(launch),
    resources: helperResources('container-disk', defaults, launch),
    securityContext: launcherSecurityContext(launch),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'virt-bin-share-dir', mountPath: '/init/usr/bin' }],
  }
}

/** A device of the node agent brings the helper program, so no init container is needed. */
export const containerDiskDevice = 'devices.kubevirt.io/container-disk'

function direct(draft: Draft, launch: Launch, images: readonly DiskImage[]): void {
  const folder = launch.context.containerDiskDir
  for (const image of images) {
    const container = diskContainer(image, launch)
    const limits = { ...container.resources?.limits, [containerDiskDevice]: '1' }
    draft.containers.push({
      ...container,
      command: ['/.kubevirt/bin/container-disk'],
      args: ['--copy-path', `${folder}/${image.fileName}`],
      resources: { ...container.resources, limits },
      volumeMounts: [{ name: 'container-disks', mountPath: folder }],
    })
  }
}

function diskContainer({ name, image, pullPolicy }: DiskImage, launch: Launch): Container {
  const defaults = {
    requests: { cpu: '1m', memory: '1M', 'ephemeral-storage': '50M' },
    limits: { cpu: '10m', memory: '40M' },
  }
  return {
    name: `volume${name}`,
    image,
    ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy }),
    resources: helperResources('container-disk', defaults, launch),
    securityContext: helperSecurityContext(),
  }
}
