import { gzipSync } from 'node:zlib'
import { debianVm } from './vms.ts'

/** A file of this machine in a guest, as cloud-init writes it. */
const file = (path: string, content: Buffer) => ({
  path,
  permissions: '0755',
  encoding: 'gz+b64',
  content: gzipSync(content).toString('base64'),
})

const unit = (name: string, content: string) => ({ path: `/etc/systemd/system/${name}`, content })

type Server = { readonly tinysshd: Buffer; readonly sftpServer: Buffer; readonly publicKey: string }

/** The Debian guest with a small server of SSH, that takes root's key; its programs are too large to stand in the VM. */
export function shellVm(place: { name: string; namespace: string }, { tinysshd, sftpServer, publicKey }: Server) {
  const secret = `${place.name}-server`
  const userData = {
    write_files: [
      file('/usr/local/sbin/tinysshd', tinysshd),
      file('/usr/local/sbin/tinysshd-makekey', tinysshd),
      file('/usr/local/sbin/sftp-server', sftpServer),
      unit('shell.socket', '[Socket]\nListenStream=22\nAccept=yes\n'),
      unit(
        'shell@.service',
        '[Service]\nStandardInput=socket\nExecStart=-/usr/local/sbin/tinysshd -x sftp=/usr/local/sbin/sftp-server /etc/shell\n',
      ),
      { path: '/root/.ssh/authorized_keys', permissions: '0600', content: publicKey },
    ],
    runcmd: ['/usr/local/sbin/tinysshd-makekey /etc/shell', 'systemctl start shell.socket'],
  }
  const vm = debianVm({ ...place, graceSeconds: 5 }, '')
  const { spec } = vm.spec.template
  const volumes = spec.volumes.map((volume) =>
    'cloudInitNoCloud' in volume ? { name: volume.name, cloudInitNoCloud: { secretRef: { name: secret } } } : volume,
  )
  const stringData = { userdata: `#cloud-config\n${JSON.stringify(userData)}` }
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace: place.namespace }, stringData },
      { ...vm, spec: { ...vm.spec, template: { ...vm.spec.template, spec: { ...spec, volumes } } } },
    ],
  }
}
