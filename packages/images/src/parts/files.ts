import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { Failure } from '@kubevirt-ts/dev-cluster'
import { hashOfFiles } from '../content-hash.ts'
import { repository } from '../places.ts'
import type { ContextPart } from '../recipe.ts'

/** A file or folder of the checkout, as it is. @throws Failure when it is not there */
export function checkedIn(path: string, to: string): ContextPart {
  const present = async (): Promise<string> => {
    if (existsSync(path)) return path
    throw new Failure('SourceMissing', `${relative(repository, path)} is missing, an image needs it`, {
      remedy: 'restore it from the repository',
    })
  }
  return { to, key: async () => hashOfFiles(await present()), path: present }
}
