import type { KubeVirt } from '@kubevirt-ts/api'
import { cipherNames, isCipher } from '../../../tls-ciphers.ts'
import { notSupported, oneOf, when } from '../cause.ts'
import { changed } from './rule.ts'
import type { KubeVirtRule } from './rule.ts'

const field = 'spec.configuration.tlsConfiguration.ciphers'

/** TLS 1.3 chooses its ciphers itself. */
export const tls: KubeVirtRule = (given) => {
  const { ciphers = [], minTLSVersion } = changed(settingsOf, given) ?? {}
  if (!minTLSVersion || minTLSVersion === 'VersionTLS13') {
    return when(ciphers.length > 0, () =>
      notSupported(
        field,
        'You cannot specify ciphers when spec.configuration.tlsConfiguration.minTLSVersion is empty or VersionTLS13; set VersionTLS12, or remove the ciphers',
      ),
    )
  }
  return ciphers.flatMap((name, index) =>
    when(!isCipher(name), () =>
      notSupported(`${field}#${index}`, `${name} is not a valid cipher; ${oneOf(cipherNames)}`),
    ),
  )
}

const settingsOf = ({ spec }: KubeVirt) => spec.configuration?.tlsConfiguration
