export { listerOf } from './lister.ts'
export { silentLog } from './silent-log.ts'
