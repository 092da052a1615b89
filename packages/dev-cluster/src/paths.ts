import { homedir } from 'node:os'
import { join } from 'node:path'

/** The cluster that commands mean when they name none. */
export const defaultCluster = 'demo'

/** Folder that holds the state of every cluster; KUBEVIRT_TS_STATE moves it. */
export const stateRoot = (): string => process.env['KUBEVIRT_TS_STATE'] || '/var/lib/kubevirt-ts'

/** Folder of one cluster's state; `down` removes it. */
export const stateDir = (name: string = defaultCluster): string => join(stateRoot(), name)

/** Folder of what may be thrown away and made again; KUBEVIRT_TS_CACHE moves it. */
export const cacheDir = (): string => process.env['KUBEVIRT_TS_CACHE'] || join(homedir(), '.cache', 'kubevirt-ts')

/** The administrator's kubeconfig of a cluster. The file exists once the cluster has been started. */
export const kubeconfigPath = (name: string = defaultCluster): string => join(stateDir(name), 'kubeconfig')

/** A folder of this package that holds something other than TypeScript. */
export const packageDir = (folder: string): string => join(import.meta.dirname, '..', folder)
