import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Small JSON records that outlive the process, one file each, in a folder of the node. */
export interface StateFolder<T> {
  /** Undefined when there is no such record. */
  read(name: string): Promise<T | undefined>
  /** Replaces the record in one step: a reader or a crash sees the old one or the new one. */
  write(name: string, record: T): Promise<void>
  /** Removing what is not there is fine. */
  remove(name: string): Promise<void>
  /** Every readable record; one that a crash of the node spoiled is left out. */
  all(): Promise<T[]>
}

const suffix = '.json'

/** Names become file names, so they must be UIDs or the like. */
const checked = (name: string): string => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    throw new Error(`"${name}" cannot be the name of a state record`)
  return `${name}${suffix}`
}

/** Opens the folder, which is made when it is missing. Files are readable by root only. */
export async function openStateFolder<T>(path: string): Promise<StateFolder<T>> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const read = async (file: string): Promise<T | undefined> => {
    try {
      return JSON.parse(await readFile(join(path, file), 'utf8')) as T
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
      throw error
    }
  }
  return {
    read: (name) => read(checked(name)),
    async write(name, record) {
      const file = checked(name)
      const fresh = join(path, `.${file}.new`)
      await rm(fresh, { force: true })
      await writeFile(fresh, JSON.stringify(record), { mode: 0o600, flag: 'wx' })
      await rename(fresh, join(path, file))
    },
    remove: (name) => rm(join(path, checked(name)), { force: true }),
    async all() {
      const files = (await readdir(path)).filter((file) => file.endsWith(suffix) && !file.startsWith('.'))
      const records = await Promise.all(files.map(read))
      return records.filter((record) => record !== undefined)
    },
  }
}
