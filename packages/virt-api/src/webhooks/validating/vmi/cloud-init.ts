import type { CloudInitConfigDriveSource, CloudInitNoCloudSource } from '@kubevirt-ts/api'
import { invalid } from '../cause.ts'
import type { Cause } from '../cause.ts'
import type { Rule } from '../rule.ts'

/** The longest text that may stand in the object itself; longer ones go into a Secret. */
const inlineLimit = 2048

const kinds = ['cloudInitNoCloud', 'cloudInitConfigDrive'] as const

export const cloudInit: Rule = ({ spec, field }) =>
  (spec.volumes ?? []).flatMap((volume, index) =>
    kinds.flatMap((kind) => {
      const source = volume[kind]
      return source ? sourceCauses(source, `${field}.volumes[${index}].${kind}`) : []
    }),
  )

function sourceCauses(source: CloudInitNoCloudSource | CloudInitConfigDriveSource, path: string): Cause[] {
  const userData = [source.userData, source.userDataBase64, source.secretRef?.name].filter(Boolean)
  const networkData = [source.networkData, source.networkDataBase64, source.networkDataSecretRef?.name].filter(Boolean)
  const causes: Cause[] = []
  if (userData.length > 1) causes.push(invalid(path, `${path} must have only one userdatasource set.`))
  if (networkData.length > 1) causes.push(invalid(path, `${path} must have only one networkdatasource set.`))
  if (userData.length + networkData.length === 0) {
    causes.push(invalid(path, `${path} must have at least one userdatasource or one networkdatasource set.`))
  }
  const data = [
    ['userData', 'userDataBase64', 'userdata'],
    ['networkData', 'networkDataBase64', 'networkdata'],
  ] as const
  return [
    ...causes,
    ...data.flatMap(([plain, encoded, word]) => textCauses(source[plain], source[encoded], path, encoded, word)),
  ]
}

function textCauses(
  plain: string | undefined,
  encoded: string | undefined,
  path: string,
  encodedName: string,
  word: string,
): Cause[] {
  if (encoded && !isBase64(encoded)) {
    return [invalid(`${path}.${encodedName}`, `${path}.${encodedName} is not a valid base64 value.`)]
  }
  const length = plain ? Buffer.byteLength(plain) : encoded ? Buffer.from(encoded, 'base64').length : 0
  if (length <= inlineLimit) return []
  return [invalid(path, `${path} ${word} exceeds ${inlineLimit} byte limit. Should use a secret reference instead.`)]
}

const isBase64 = (text: string) =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replaceAll(/[\r\n]/g, ''))
