import { expect } from '@jest/globals'
import { installPackages } from '@kubevirt-ts/dev-cluster'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure, eventually } from '../framework/eventually.ts'
import { apply, kubectl, vmiInPhase } from '../framework/kubectl.ts'
import { must } from '../framework/run.ts'
import { scenario } from '../framework/scenario.ts'
import { tryVirtctl, virtctl } from '../framework/virtctl.ts'
import { shellVm } from '../manifests/secure-shell.ts'

const programs = { tinysshd: '/usr/sbin/tinysshd', sftpServer: '/usr/lib/openssh/sftp-server' }

/** OpenSSH's own client programs, by way of virtctl, and a server of Debian's packages in the guest. */
export function secureShellScenario(namespace: string): void {
  scenario(
    'ssh and scp reach a guest through virtctl: commands with their exit code, files and folders both ways',
    async () => {
      const name = 'shell'
      const folder = await mkdtemp(join(tmpdir(), 'ssh-'))
      try {
        const key = join(folder, 'key')
        await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
        await apply(shellVm({ name, namespace }, await serverFor(`${key}.pub`)))
        await vmiInPhase(namespace, name, 'Running', { timeoutMs: 120_000 })
        const way = ['-n', namespace, '-i', key, `--known-hosts=${folder}/hosts`, '-t=-o StrictHostKeyChecking=no']
        await eventually('the guest takes the key', async () => {
          const { code, stderr } = await tryVirtctl('ssh', ...way, '-c', 'true', `root@vm/${name}`)
          ensure(code === 0, stderr)
        })
        expect(await virtctl('ssh', ...way, '-c', 'hostname', `root@vmi/${name}`)).toBe(`${name}\n`)
        expect(await tryVirtctl('ssh', ...way, '-c', 'exit 7', `root@vm/${name}`)).toMatchObject({ code: 7 })
        await thereAndBack(folder, name, way)
      } finally {
        await rm(folder, { recursive: true })
      }
      await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    },
    600_000,
  )
}

async function serverFor(publicKeyFile: string) {
  if (!Object.values(programs).every((program) => existsSync(program))) {
    await installPackages(['tinysshd', 'openssh-sftp-server'], join(tmpdir(), 'tinysshd.log'))
  }
  const [tinysshd, sftpServer] = await Promise.all([readFile(programs.tinysshd), readFile(programs.sftpServer)])
  return { tinysshd, sftpServer, publicKey: await readFile(publicKeyFile, 'utf8') }
}

/** A folder with a file of some megabytes is the same after its way into the guest and back. */
async function thereAndBack(folder: string, name: string, way: readonly string[]): Promise<void> {
  const [sent, back] = [join(folder, 'sent'), join(folder, 'back')]
  const content = randomBytes(3_000_000)
  await mkdir(join(sent, 'inner'), { recursive: true })
  await writeFile(join(sent, 'inner', 'large'), content)
  await virtctl('scp', ...way, '--recursive', '--preserve', sent, `root@vm/${name}:/tmp/there`)
  await virtctl('scp', ...way, '-r', `root@vmi/${name}:/tmp/there`, back)
  expect((await readFile(join(back, 'inner', 'large'))).equals(content)).toBe(true)
  expect(await tryVirtctl('scp', ...way, `root@vm/${name}:/nowhere`, folder)).toMatchObject({ code: 1 })
}
