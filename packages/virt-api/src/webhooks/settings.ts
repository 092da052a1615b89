import type { Settings } from '../settings.ts'

export type { Settings }

/** The settings for one architecture; those of amd64 for a word that is unknown. */
export function architectureSettings(settings: Settings, architecture: string | undefined) {
  const all = settings.configuration.architectureConfiguration
  return architecture === 'arm64' ? all?.arm64 : architecture === 's390x' ? all?.s390x : all?.amd64
}
