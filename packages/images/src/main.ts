import { describeFailure, progressLines } from '@kubevirt-ts/dev-cluster'
import { buildGuests, buildImages } from './build.ts'
import { imageNames, guestNames } from './catalog.ts'
import { help, parseImagesOptions } from './options.ts'
import { pushImages } from './push.ts'

async function run(argv: readonly string[]): Promise<void> {
  const options = parseImagesOptions(argv)
  if (options === 'help') return console.log(help)
  const { build, guests, push } = options
  const common = {
    onProgress: progressLines((text) => process.stdout.write(text), process.stdout.isTTY),
    ...(options.tag === undefined ? {} : { tag: options.tag }),
  }
  if (build) await buildImages({ ...common, names: build })
  if (guests) await buildGuests({ ...common, names: guests })
  const named = [...(build ?? []), ...(guests ?? [])]
  if (push) await pushImages({ ...common, ...push, names: named.length > 0 ? named : [...imageNames, ...guestNames] })
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(describeFailure(error))
  process.exitCode = 1
}
