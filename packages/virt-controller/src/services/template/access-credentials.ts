import { addVolume } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Launch } from './launch.ts'

/** Secrets with keys and passwords that are handed to the guest. */
export function accessCredentials(draft: Draft, { vmi }: Launch): void {
  const secrets = (vmi.spec.accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }) => {
    const name = sshPublicKey?.source.secret?.secretName ?? userPassword?.source.secret?.secretName
    return name === undefined ? [] : [name]
  })
  for (const secretName of new Set(secrets)) {
    const name = `${secretName}-access-cred`
    addVolume(draft, { name, secret: { secretName } })
    draft.compute.volumeMounts.push({ name, mountPath: `/var/run/kubevirt-private/secret/${name}`, readOnly: true })
  }
}
