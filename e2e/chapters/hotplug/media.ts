import { forgetClaims } from '../../framework/claims.ts'
import { ensure, eventually } from '../../framework/eventually.ts'
import { apply, getVmi, kubectl, patchVm, vmiInPhase } from '../../framework/kubectl.ts'
import { onNode } from '../../framework/node.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console } from '../../framework/virtctl.ts'
import { claimOnNode } from '../../manifests/claims.ts'
import { tinyVm } from '../../manifests/vms.ts'

const name = 'driven'

export function mediaScenarios(namespace: string): void {
  scenario('a CD-ROM drive that is empty gets a medium, another one, and none again', async () => {
    const manifest = tinyVm({ name, namespace, graceSeconds: 0 })
    const { devices } = manifest.spec.template.spec.domain
    Object.assign(devices, { disks: [...devices.disks, { name: 'drive', cdrom: { bus: 'sata' } }] })
    await apply(manifest)
    const node = (await vmiInPhase(namespace, name, 'Running')).status?.nodeName ?? ''
    for (const medium of ['first', 'second']) {
      await apply(claimOnNode({ name: medium, namespace, size: '1Mi' }))
      await writeMedium(node, `/var/lib/kubevirt-ts-e2e/${namespace}-${medium}`, medium)
    }
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    // The guest finds its drive behind its login prompt.
    await console.ask('until [ -e /dev/sr0 ]; do sleep 0.3; done; head -c 16 /dev/sr0', /No medium found/)

    await setMedium(namespace, 'first')
    await console.ask(reads('first'), /medium-is-first/)
    await setMedium(namespace, 'second')
    await console.ask(reads('second'), /medium-is-second/)
    await setMedium(namespace, undefined)
    await console.ask(
      'while head -c 16 /dev/sr0 >/dev/null 2>&1; do sleep 0.3; done; echo dri""ve-empty',
      /drive-empty/,
    )
    await eventually('no volume is left in the status', async () => {
      const { status } = await getVmi(namespace, name)
      ensure(!status?.volumeStatus?.some((each) => each.name === 'drive'), JSON.stringify(status?.volumeStatus))
    })
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
    await forgetClaims(namespace, 'first', 'second')
  })
}

const reads = (medium: string): string =>
  `until head -c 16 /dev/sr0 2>/dev/null | grep -q ${medium}; do sleep 0.3; done; echo medium-""is-${medium}`

/** An image of a mebibyte that begins with a word. */
async function writeMedium(node: string, folder: string, word: string): Promise<void> {
  const file = `${folder}/disk.img`
  const script = `mkdir -p ${folder} && echo ${word} >${file} && truncate -s 1M ${file} && chown 107:107 ${file}`
  await onNode(node, 'sh', '-c', script)
}

async function setMedium(namespace: string, claimName: string | undefined): Promise<void> {
  const [root] = tinyVm({ name, namespace }).spec.template.spec.volumes
  const medium =
    claimName === undefined ? [] : [{ name: 'drive', persistentVolumeClaim: { claimName, hotpluggable: true } }]
  await patchVm(namespace, name, [{ op: 'replace', path: '/spec/template/spec/volumes', value: [root, ...medium] }])
}
