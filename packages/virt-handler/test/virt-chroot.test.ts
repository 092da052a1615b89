import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from '@jest/globals'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileLabel, O_PATH, openBeneath, setFileLabel } from '@kubevirt-ts/linux'
import { buildProgram } from './build-program.ts'

const helper = buildProgram('virt-chroot')
const virtChroot = helper.program
const pause = join(helper.folder, 'pause')

beforeAll(() => {
  const waits =
    'int pause(void); long write(int, const void *, unsigned long); int main(void) { write(1, "up\\n", 3); for (;;) pause(); }'
  writeFileSync(`${pause}.c`, waits)
  execFileSync('gcc', ['-static', '-O2', '-o', pause, `${pause}.c`])
})

afterAll(() => helper[Symbol.dispose]())

/** Starts a shell script and waits for its first line. */
const start = async (script: string): Promise<ChildProcess> => {
  const child = spawn('sh', ['-euc', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`exit code ${code} before the first line`)))
  })
  return child
}

let home: string
let node: ChildProcess
let container: ChildProcess

/** A node with a mount namespace of its own and a container on it, whose image is the folder `image`. */
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'virt-chroot-'))
  node = await start(`exec unshare --mount --propagation private sh -euc '
    mount -t tmpfs tmpfs ${home}
    mount --make-rshared ${home}
    mkdir -p ${home}/image/disk ${home}/image/proc ${home}/target ${home}/outside
    cp ${pause} ${home}/image/pause
    echo secret > ${home}/outside/secret
    exec ${pause}'`)
  container = await start(`exec nsenter --mount=/proc/${node.pid}/ns/mnt unshare --mount --propagation slave sh -euc '
    mount --bind ${home}/image ${home}/image
    mount -t proc proc ${home}/image/proc
    exec chroot ${home}/image /pause'`)
})

afterEach(async () => {
  for (const child of [container, node]) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  rmSync(home, { recursive: true })
})

const onNode = (script: string): string =>
  execFileSync('nsenter', [`--mount=/proc/${node.pid}/ns/mnt`, 'sh', '-euc', `cd ${home}; ${script}`], {
    encoding: 'utf8',
  })

const run = (command: string, ...more: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(virtChroot, [command, '--node-mount-namespace', `/proc/${node.pid}/ns/mnt`, ...more], { encoding: 'utf8' })

const mountImage = (...more: string[]) =>
  run(
    'mount-image',
    '--source-pid',
    `${container.pid}`,
    '--target-dir-root',
    `${home}/target`,
    '--target-name',
    'disk_0.img',
    ...more,
  )

const umount = (name = 'disk_0.img') => run('umount', '--target-dir-root', `${home}/target`, '--target-name', name)

const targets = (): string => onNode('ls target')

test('the only file of an image appears under the target name, read-only', () => {
  onNode('echo disk > image/disk/a.img')

  expect(mountImage()).toMatchObject({ status: 0, stderr: '' })

  expect(onNode('cat target/disk_0.img')).toBe('disk\n')
  expect(() => onNode('echo spoiled > target/disk_0.img 2>/dev/null')).toThrow()
})

test('the file to serve is named by list-image', () => {
  onNode('echo disk > image/disk/a.img')

  expect(run('list-image', '--source-pid', `${container.pid}`)).toMatchObject({ status: 0, stdout: '/disk/a.img\n' })
})

test('mounting twice is as good as once, and one umount removes it and the file', () => {
  onNode('echo disk > image/disk/a.img')

  expect([mountImage().status, mountImage().status]).toEqual([0, 0])
  expect(umount().status).toBe(0)

  expect(targets()).toBe('')
  expect(umount().status).toBe(0)
})

test('a path chosen by the user is taken from the image, also into a folder of the target', () => {
  onNode('mkdir image/boot; echo kernel > image/boot/vmlinuz')
  const target = ['--target-dir-root', `${home}/target`, '--target-name', 'kernel-boot/vmlinuz']

  const result = run('mount-image', '--source-pid', `${container.pid}`, '--source-path', '/boot/vmlinuz', ...target)

  expect(result).toMatchObject({ status: 0, stderr: '' })
  expect(onNode('cat target/kernel-boot/vmlinuz')).toBe('kernel\n')
  expect(umount('kernel-boot/vmlinuz').status).toBe(0)
  expect(onNode('ls target/kernel-boot')).toBe('')
})

test.each([
  ['an image without a disk', 'true', [], 'no file under /disk'],
  ['an image with two disks', 'touch image/disk/a image/disk/b', [], 'more than one file'],
  ['a folder in place of the disk', 'mkdir image/disk/a', [], 'not a regular file'],
  ['a device in place of the disk', 'mknod image/disk/a c 1 3', [], 'not a regular file'],
  ['a pipe in place of the disk', 'mkfifo image/disk/a', [], 'not a regular file'],
  ['a link planted as the disk', 'ln -s /outside/secret image/disk/a', [], 'symbolic link'],
  ['a link planted as /disk', 'rmdir image/disk; ln -s ../outside image/disk', [], 'symbolic link'],
  ['a path with .. out of the image', 'true', ['--source-path', '/../outside/secret'], 'No such file'],
  ['a file of /proc', 'true', ['--source-path', '/proc/version'], 'another mount'],
])('%s is refused and nothing stays behind', (_, plant, more, reason) => {
  onNode(plant)

  const result = mountImage(...more)

  expect(result.status).toBe(1)
  expect(result.stderr).toContain(reason)
  expect(targets()).toBe('')
})

test.each([
  ['a link as the target', 'ln -s ../outside/secret target/disk_0.img'],
  ['a dangling link as the target', 'ln -s ../outside/new target/disk_0.img'],
  ['a folder as the target', 'mkdir target/disk_0.img'],
  ['a pipe as the target', 'mkfifo target/disk_0.img'],
])('%s, planted by the guest, is refused', (_, plant) => {
  onNode(`echo disk > image/disk/a.img; ${plant}`)

  expect(mountImage().status).toBe(1)

  expect(onNode('cat outside/secret; ls outside')).toBe('secret\nsecret\n')
  expect(onNode('findmnt --raw --noheadings --output TARGET --submounts target || true')).toBe('')
})

test('a link planted as the folder of a kernel is refused', () => {
  onNode('echo kernel > image/vmlinuz; ln -s ../outside target/kernel-boot')
  const target = ['--target-dir-root', `${home}/target`, '--target-name', 'kernel-boot/secret']

  const result = run('mount-image', '--source-pid', `${container.pid}`, '--source-path', '/vmlinuz', ...target)

  expect(result.status).toBe(1)
  expect(umount('kernel-boot/secret').status).toBe(1)
  expect(onNode('cat outside/secret')).toBe('secret\n')
})

test.each(['..', '../outside/secret', 'a/../b', 'a/b/c', ''])('the target name %j is refused', (name) => {
  onNode('echo disk > image/disk/a.img')

  expect(mountImage('--target-name', name).status).toBe(2)
})

test('a device of the container is given to the guest user, a plain file is not', () => {
  onNode('mkdir image/dev; mknod image/dev/kvm c 1 3; touch image/dev/plain; ln -s kvm image/dev/link')
  const chown = (path: string) =>
    run('chown-device', '--source-pid', `${container.pid}`, '--source-path', path, '--uid', '107', '--gid', '108')
      .status

  expect([chown('/dev/kvm'), chown('/dev/plain'), chown('/dev/link')]).toEqual([0, 1, 1])

  expect(onNode('stat --format %u:%g image/dev/kvm image/dev/plain')).toBe('107:108\n0:0\n')
})

test('a folder of a volume is given to the guest user, neither what is in it nor a file or a link', () => {
  onNode('mkdir image/state; mount -t tmpfs tmpfs image/state; touch image/state/file; ln -s state image/link')
  const chown = (path: string) =>
    run('chown-folder', '--source-pid', `${container.pid}`, '--source-path', path, '--uid', '107', '--gid', '108')
      .status

  expect([chown('/state'), chown('/state/file'), chown('/link')]).toEqual([0, 1, 1])

  expect(onNode('stat --format %u:%g image/state image/state/file')).toBe('107:108\n0:0\n')
})

test.each([
  'kernel/hostname=1',
  'net/../kernel/hostname=1',
  'fs/file-max=1',
  'net/ipv4/ip_forward',
  'net/ipv4/ip_forward=on',
])('the setting %s is refused', (name) => {
  expect(run('sysctl', '--source-pid', `${container.pid}`, name).status).toBe(2)
})

/** What the node sees at a path of its, with its SELinux label, which a kernel without SELinux keeps, too. */
function onNodeFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openBeneath(`/proc/${node.pid}/root${home}`, path, O_PATH)
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

const label = 'system_u:object_r:container_file_t:s0:c104,c812'

test("a block device for a guest gets the label of the launcher's folder that it is made in", () => {
  onNode('mkdir image/dev; mknod image/dev/volume b 7 99')
  onNodeFile('target', (folder) => setFileLabel(folder, label))
  const device = ['--source-pid', `${container.pid}`, '--source-path', '/dev/volume']
  const target = ['--target-dir-root', `${home}/target`, '--target-name', 'volume', '--uid', '107', '--gid', '107']

  expect(run('make-device', ...device, ...target)).toMatchObject({ status: 0, stdout: '7:99\n' })

  expect(onNodeFile('target/volume', fileLabel)).toBe(label)
})

test('an image that is made gets the label of its folder, one that is there keeps its own', () => {
  onNode('mkdir image/volume; touch image/volume/old.img')
  onNodeFile('image/volume', (folder) => setFileLabel(folder, label))
  const size = ['--size', '1048576', '--least', '1048576']
  const create = (name: string) =>
    run('create-image', '--source-pid', `${container.pid}`, '--source-path', `/volume/${name}`, ...size).status

  expect([create('new.img'), create('old.img')]).toEqual([0, 0])

  expect(onNodeFile('image/volume/new.img', fileLabel)).toBe(label)
  expect(onNodeFile('image/volume/old.img', fileLabel)).toBeUndefined()
})

test('a program is run in a context, and not at all when the kernel does not take the context', () => {
  const attribute = join(home, 'exec')
  writeFileSync(attribute, '')
  const inContext = (file: string) =>
    run('run', '--context', 'u:r:container_t:s0', '--exec-attribute', file, '--', 'echo', '--ran')

  expect(inContext(attribute)).toMatchObject({ status: 0, stdout: '--ran\n' })
  expect(inContext('/proc/version')).toMatchObject({ status: 1, stdout: '' })

  expect(readFileSync(attribute, 'utf8')).toBe('u:r:container_t:s0')
})
