import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { join } from 'node:path'

const program = `
  const { openLibvirt } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'libvirt-access.ts')).href)})
  const uri = 'test:///default'
  const log = { warn: console.error }
  const libvirt = await openLibvirt({ uri, domainName: 'test', log, onEvent() {}, onReconnect() {} })
  await libvirt.reach(uri)
  await libvirt.close()
  console.log('closed')
  process.exit(0)
`

test('a launcher that ends in the middle of a move does end: no connection to another node holds it', async () => {
  const run = promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })

  await expect(run).resolves.toMatchObject({ stdout: 'closed\n' })
})
