import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '@kubevirt-ts/api'
import type { VirtualMachine, VirtualMachineInstance } from '@kubevirt-ts/api'
import { appUnderTest } from './app-under-test.ts'
import { ask, asUser } from './ask.ts'
import { haltedVm, paths } from './halted-vm.ts'

const guest = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'a', namespace: 'n' },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', nodeName: 'node-1', evacuationNodeName: 'node-1' },
} as unknown as VirtualMachineInstance

let app: Awaited<ReturnType<typeof appUnderTest>>

beforeEach(async () => {
  app = await appUnderTest({ objects: [haltedVm(), structuredClone(guest)] })
})
afterEach(() => app.close())

test('migrate makes a migration', async () => {
  const body = '{"addedNodeSelector":{"zone":"b"}}'
  expect((await ask(app.port, `${paths.vm}/migrate`, { method: 'PUT', body })).status).toBe(202)
  expect(app.client.objects(virtualMachineInstanceMigrations)).toMatchObject([
    { metadata: { namespace: 'n' }, spec: { vmiName: 'a', addedNodeSelector: { zone: 'b' } } },
  ])
})

test('evacuate/cancel clears the mark, unless it names another node', async () => {
  const cancel = (evacuationNodeName: string) =>
    ask(app.port, `${paths.vm}/evacuate/cancel`, { method: 'PUT', body: JSON.stringify({ evacuationNodeName }) })
  expect((await cancel('node-2')).status).toBe(409)
  expect((await cancel('node-1')).status).toBe(200)
  expect(app.client.objects(virtualMachineInstances)[0]!.status!.evacuationNodeName).toBeUndefined()
})

test('an object graph is drawn by the options in the body of the GET', async () => {
  await app.close()
  app = await appUnderTest({ objects: [haltedVm(), structuredClone(guest)], gates: ['ObjectGraph'] })
  const body = '{"labelSelector":{"matchLabels":{"kubevirt.io/dependency-type":"compute"}}}'
  const headers = { ...asUser, 'Content-Length': body.length }
  expect((await ask(app.port, `${paths.vm}/objectgraph`, { body, headers })).json()).toEqual({
    objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', namespace: 'n', name: 'a' },
    children: [
      {
        objectReference: { apiGroup: 'kubevirt.io', kind: 'VirtualMachineInstance', namespace: 'n', name: 'a' },
        labels: { 'kubevirt.io/dependency-type': 'compute' },
      },
    ],
  })
})

test('with HotplugVolumes a volume waits in the status of its VM', async () => {
  await app.close()
  app = await appUnderTest({ objects: [haltedVm()], gates: ['HotplugVolumes'] })
  const body = 'name: v\ndisk: {}\nvolumesource: { dataVolume: { name: d } }'
  expect((await ask(app.port, `${paths.vm}/addvolume`, { method: 'PUT', body })).status).toBe(202)
  expect(app.client.objects(virtualMachines)[0]!.status!.volumeRequests).toMatchObject([
    { addVolumeOptions: { name: 'v', disk: { name: 'v' }, volumeSource: { dataVolume: { hotpluggable: true } } } },
  ])
})

test('a guest that is paused for a snapshot of its VM is not resumed', async () => {
  await app.close()
  const snapshot = { ...haltedVm(), status: { snapshotInProgress: 'snap' } }
  app = await appUnderTest({ objects: [snapshot as unknown as VirtualMachine, structuredClone(guest)] })
  expect((await ask(app.port, `${paths.vmi}/unpause`, { method: 'PUT' })).json()).toMatchObject({
    code: 409,
    message: expect.stringMatching(/VM snapshot is in progress/),
  })
})

test('backup needs its tracking, sev its attestation', async () => {
  expect((await ask(app.port, `${paths.vmi}/backup`, { method: 'PUT' })).json()).toMatchObject({ code: 409 })
  expect(await ask(app.port, `${paths.vmi}/sev/fetchcertchain`)).toMatchObject({
    status: 500,
    text: expect.stringMatching(/Attestation not requested/),
  })
})

test.each([
  ['virtualmachineinstances/a/console', 400, /WebSocket upgrade/],
  ['virtualmachineinstances/nobody/vnc', 404, /"nobody" not found/],
  ['virtualmachineinstances/a/usbredir', 409, /Not configured with USB Redirection/],
  ['virtualmachineinstances/nobody/portforward/22', 404, /"nobody" not found/],
  ['virtualmachines/a/portforward/22/tcp', 409, /VMI is not started/],
])('a plain GET of the stream %s is told what is wrong, and that it is a stream last', async (path, code, message) => {
  const answer = await ask(app.port, `/apis/subresources.kubevirt.io/v1/namespaces/n/${path}`)
  expect(answer.json()).toMatchObject({ kind: 'Status', code, message: expect.stringMatching(message) })
})
