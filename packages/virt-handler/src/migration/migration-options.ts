import { parseQuantity, type VMIMConfigurationOptions } from '@kubevirt-ts/api'
import type { MigrationOptions } from '@kubevirt-ts/handler-launcher-com'

/** What the launcher is told, from the settings that the controller put together for this migration. */
export function launcherMigrationOptions(
  settings: VMIMConfigurationOptions,
  { tuneDowntime }: { readonly tuneDowntime: boolean },
): MigrationOptions {
  const allowPostCopy = settings.allowPostCopy ?? false
  return {
    Bandwidth: Number(parseQuantity(settings.bandwidthPerMigration ?? '0')),
    ProgressTimeout: settings.progressTimeout ?? 150,
    CompletionTimeoutPerGiB: settings.completionTimeoutPerGiB ?? 150,
    UnsafeMigration: settings.unsafeMigrationOverride ?? false,
    AllowAutoConverge: settings.allowAutoConverge ?? false,
    AllowPostCopy: allowPostCopy,
    AllowWorkloadDisruption: settings.allowWorkloadDisruption ?? allowPostCopy,
    ...(tuneDowntime && settings.maxDowntimeMs !== undefined ? { MaxDowntimeMs: settings.maxDowntimeMs } : {}),
  }
}
