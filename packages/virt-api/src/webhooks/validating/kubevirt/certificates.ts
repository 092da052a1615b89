import { askedRotation } from '@kubevirt-ts/virt-config'
import { invalid, notSupported, when } from '../cause.ts'
import type { KubeVirtRule } from './rule.ts'

const field = 'spec.certificateRotateStrategy.selfSigned'

/** How long certificates live, and when their successors are made. */
export const certificates: KubeVirtRule = ({ object: { spec } }) => {
  const given = spec.certificateRotateStrategy?.selfSigned
  if (!given) return []
  const isOld = Boolean(given.caRotateInterval || given.caOverlapInterval || given.certRotateInterval)
  const { ca, leaf } = askedRotation(spec.certificateRotateStrategy)
  return [
    ...when(isOld && Boolean(given.ca || given.server), () =>
      notSupported(
        field,
        'caRotateInterval, certRotateInterval and caOverlapInterval are deprecated and conflict with CertConfig defined rotation parameters; remove them, and write ca and server alone',
      ),
    ),
    ...when(ca.renewBefore > ca.duration, () =>
      invalid(`${field}.ca.renewBefore`, 'CA RenewBefore cannot exceed Duration; write less than ca.duration'),
    ),
    ...when(leaf.renewBefore > leaf.duration, () =>
      invalid(
        `${field}.server.renewBefore`,
        'Cert RenewBefore cannot exceed Duration; write less than server.duration',
      ),
    ),
    ...when(leaf.duration > ca.duration, () =>
      invalid(`${field}.server.duration`, 'Certificate duration cannot exceed CA; write no more than ca.duration'),
    ),
  ]
}
