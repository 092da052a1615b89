export { configured } from './configured.ts'
export { listerOf } from './lister.ts'
export { silentLog } from './silent-log.ts'
