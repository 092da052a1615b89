/**
 * Under what name an image lies in the cluster's registry. Nodes ask that registry for every image, whatever
 * host its name begins with, and leave the host out, as containerd's mirrors do:
 * `localhost/kubevirt-ts/virt-api:1` -> `kubevirt-ts/virt-api:1`, `busybox` -> `library/busybox:latest`.
 */
export function registryReference(image: string): string {
  const [first = '', ...rest] = image.split('/')
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const path = hasHost ? rest.join('/') : image
  const onDockerHub = !hasHost || /^(index\.)?docker\.io$/.test(first)
  const repository = onDockerHub && !path.includes('/') ? `library/${path}` : path
  return /[:@][^/]*$/.test(repository) ? repository : `${repository}:latest`
}

/** A name in the registry taken apart. */
export function splitReference(reference: string): { readonly repository: string; readonly tag: string } {
  const [, repository = reference, tag = 'latest'] = /^([^@]+?)(?::([^/:@]+))?(?:@.*)?$/.exec(reference) ?? []
  return { repository, tag }
}
