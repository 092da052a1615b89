/** What bears it every container of the host may use, whichever categories it runs with. */
export const sharedFileLabel = 'system_u:object_r:container_file_t:s0'

/** The context in a file of /proc/PID/attr; undefined when that holds none, as under another security module. */
export function parseContext(text: string): string | undefined {
  const context = text.replace(/[\0\n]+$/, '')
  return context.split(':').length >= 4 ? context : undefined
}
