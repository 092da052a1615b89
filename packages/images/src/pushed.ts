import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { imagesCache } from './places.ts'
import type { Place } from './destination.ts'

/** What was pushed to a place: the image's local id, and the digest that the registry then had there. */
type Note = { readonly id: string; readonly digest: string }

const file = (): string => imagesCache('pushed.json')

/** Whether a place still holds what was last pushed there, and that is this image. Only plain registries are asked. */
export async function isPushed(place: Place, id: string): Promise<boolean> {
  if (!place.plain) return false
  const note = (await readNotes())[place.reference]
  return note?.id === id && note.digest === (await digestAt(place))
}

/** Notes a push that has just succeeded. */
export async function notePushed(place: Place, id: string): Promise<void> {
  const digest = place.plain ? await digestAt(place) : undefined
  if (!digest) return
  const notes = { ...(await readNotes()), [place.reference]: { id, digest } }
  await mkdir(dirname(file()), { recursive: true })
  const partial = `${file()}.${process.pid}`
  await writeFile(partial, JSON.stringify(notes, null, 1))
  await rename(partial, file())
}

async function readNotes(): Promise<Record<string, Note>> {
  try {
    return JSON.parse(await readFile(file(), 'utf8')) as Record<string, Note>
  } catch {
    return {}
  }
}

const manifests = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ')

/** The digest that the registry answers with; undefined when it has nothing there or does not answer. */
async function digestAt({ reference }: Place): Promise<string | undefined> {
  const [, host = '', path = '', tag = ''] = /^([^/]+)\/(.+):([^:/]+)$/.exec(reference) ?? []
  try {
    const reply = await fetch(`http://${host}/v2/${path}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: manifests },
    })
    return reply.ok ? (reply.headers.get('docker-content-digest') ?? undefined) : undefined
  } catch {
    return undefined
  }
}
