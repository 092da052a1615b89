import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { CommandError } from '../command.ts'

/** A program that shows VNC, and how it is told the address. */
export interface Viewer {
  readonly program: string
  readonly args: (port: number) => string[]
}

const types: Readonly<Record<string, Viewer>> = {
  'remote-viewer': { program: 'remote-viewer', args: (port) => [`vnc://127.0.0.1:${port}`] },
  tiger: { program: 'vncviewer', args: (port) => [`127.0.0.1:${port}`] },
  real: { program: 'vncviewer', args: (port) => [`127.0.0.1:${port}`, '-WarnUnencrypted=0', '-Shared=0'] },
  chicken: {
    program: '/Applications/Chicken.app/Contents/MacOS/Chicken',
    args: (port) => ['localhost', `--PasswordFile=/dev/null`, `--Display=${port - 5900}`],
  },
}

/** What is looked for, in order, when no type is named. */
const order: Readonly<Record<string, readonly string[]>> = {
  darwin: ['tiger', 'chicken', 'real', 'remote-viewer'],
  linux: ['remote-viewer', 'tiger'],
}

/** The viewer that is asked for, or the first that is installed. Throws when there is none. */
export function findViewer(type: string | undefined, path: string | undefined): Viewer {
  const candidates = type ? [type] : (order[process.platform] ?? order['linux']!)
  for (const name of candidates) {
    const viewer = types[name]
    if (!viewer) throw new CommandError(`--vnc-type: ${name} is not known; use one of ${Object.keys(types).join(', ')}`)
    const program = path ?? programPath(viewer.program)
    if (program) return { ...viewer, program }
  }
  throw new CommandError(
    `could not find ${candidates.join(' or ')} to show the screen: install remote-viewer or a VNC viewer, or use --proxy-only`,
  )
}

function programPath(program: string): string | undefined {
  const places = program.startsWith('/')
    ? [program]
    : (process.env['PATH'] ?? '').split(delimiter).map((each) => join(each, program))
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
