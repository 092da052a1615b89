import { Failure } from '@kubevirt-ts/dev-cluster'
import { baseNames, guestNames, imageNames } from './catalog.ts'
import type { Destination } from './destination.ts'

export const help = `Builds the images of the product and of guests, and gives them to a cluster.

Usage:
  npm run images -- [build [NAME…]] [guests [NAME…]] [push --cluster NAME | push --registry HOST/PATH] [flags]

Commands, in any combination; without one, everything is built:
  build [NAME…]    build the product's images, or only those named
  guests [NAME…]   build the guests for tests and demo, or only those named
  push             copy what was named (or all images, built earlier) to a registry

Images:  ${imageNames.join(' ')}
Bases:   ${baseNames.join(' ')} (built with the images that need them)
Guests:  ${guestNames.join(' ')}

Flags:
  --cluster NAME        push into the registry of this local cluster
  --registry HOST/PATH  push to this registry, as HOST/PATH/NAME:TAG
  --tag TAG             tag of the images (default: the chart's appVersion)
  -h, --help            print this help

Everything is kept in ~/.cache/kubevirt-ts (KUBEVIRT_TS_CACHE moves it); what has not changed is not built again.`

export type ImagesOptions = {
  /** What to build; undefined where the command was not given. */
  readonly build: readonly string[] | undefined
  readonly guests: readonly string[] | undefined
  readonly push: Destination | undefined
  readonly tag: string | undefined
}

const commands: readonly string[] = ['build', 'guests', 'push']

/** Reads the command line. @throws Failure that names what is wrong */
export function parseImagesOptions(argv: readonly string[]): ImagesOptions | 'help' {
  if (argv.includes('--help') || argv.includes('-h')) return 'help'
  const { words, flags } = split(argv)
  const given = new Map<string, string[]>()
  let current: string[] | undefined
  for (const word of words) {
    if (commands.includes(word)) given.set(word, (current = []))
    else if (current) current.push(word)
    else throw wrong(`unknown command "${word}"`)
  }
  const build = checked(given.get('build'), imageNames, 'image', baseNames)
  const guests = checked(given.get('guests'), guestNames, 'guest')
  const all = given.size === 0
  return {
    build: all ? imageNames : build,
    guests: all ? guestNames : guests,
    push: destinationOf(given.get('push'), flags),
    tag: flags['tag'],
  }
}

type Flags = { [flag in 'cluster' | 'registry' | 'tag']?: string }

function split(argv: readonly string[]): { words: string[]; flags: Flags } {
  const words: string[] = []
  const flags: Flags = {}
  for (let at = 0; at < argv.length; at++) {
    const [, flag, inline] = /^--([^=]+)(?:=(.*))?$/.exec(argv[at] ?? '') ?? []
    if (flag === undefined) words.push(argv[at] ?? '')
    else if (flag !== 'cluster' && flag !== 'registry' && flag !== 'tag') throw wrong(`unknown flag --${flag}`)
    else flags[flag] = inline ?? argv[++at] ?? fail(`--${flag} needs a value`)
  }
  return { words, flags }
}

function checked(
  names: readonly string[] | undefined,
  known: readonly string[],
  kind: string,
  also: readonly string[] = [],
): readonly string[] | undefined {
  const unknown = names?.find((name) => !known.includes(name) && !also.includes(name))
  if (unknown !== undefined) throw wrong(`there is no ${kind} called ${unknown}; there are ${known.join(', ')}`)
  return names?.length === 0 ? known : names
}

function destinationOf(push: readonly string[] | undefined, { cluster, registry }: Flags): Destination | undefined {
  if (push?.length) throw wrong(`push takes no names, but "${push[0]}" was given: name images after build or guests`)
  if (!push && (cluster ?? registry) !== undefined) throw wrong('--cluster and --registry belong to the command push')
  if (!push) return undefined
  if (cluster !== undefined && registry === undefined) return { cluster }
  if (registry !== undefined && cluster === undefined) return { registry }
  throw wrong('push needs either --cluster NAME or --registry HOST/PATH')
}

const wrong = (message: string): Failure =>
  new Failure('InvalidArguments', message, { remedy: 'see npm run images -- --help' })

function fail(message: string): never {
  throw wrong(message)
}
