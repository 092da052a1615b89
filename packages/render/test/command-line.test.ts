import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { run } from '../src/index.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'virt-render-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: object | string): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

interface Answer {
  readonly code: number
  readonly out: string
  readonly errors: string
  readonly json: any
}

async function answerTo(...argv: string[]): Promise<Answer> {
  let out = ''
  let errors = ''
  const code = await run(argv, {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (errors += text) },
  })
  return { code, out, errors, json: out.startsWith('{') ? JSON.parse(out) : undefined }
}

const spec = (more: object = {}) => ({
  domain: { memory: { guest: '128Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
  volumes: [{ name: 'root', containerDisk: { image: 'registry.example/cirros:1' } }],
  ...more,
})

const vmi = (more: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'web' },
  spec: spec(more),
})

const vm = (more: object = {}) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web' },
  spec: { runStrategy: 'Always', template: { metadata: { labels: { app: 'web' } }, spec: spec() }, ...more },
})

describe('a VMI', () => {
  test('with its defaults', async () => {
    const { code, json } = await answerTo('--output', 'mutated', file('vmi.json', vmi()))
    expect(code).toBe(0)
    expect(json.metadata.namespace).toBe('default')
    expect(json.spec.domain.machine.type).toBe('q35')
    expect(json.spec.networks).toEqual([{ name: 'default', pod: {} }])
  })

  test('admitted', async () => {
    const { code, json } = await answerTo('--output', 'admission', file('vmi.json', vmi()))
    expect(code).toBe(0)
    expect(json).toMatchObject({ allowed: true, causes: [] })
  })

  test('with what a preset for its labels sets', async () => {
    const preset = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstancePreset',
      metadata: { name: 'large' },
      spec: { selector: { matchLabels: { size: 'large' } }, domain: { cpu: { cores: 3 } } },
    }
    const given = { ...vmi(), metadata: { name: 'web', labels: { size: 'large' } } }
    const { json } = await answerTo('--output', 'mutated', '--objects', file('p.json', preset), file('vmi.json', given))
    expect(json.spec.domain.cpu.cores).toBe(3)
    expect(json.metadata.annotations['virtualmachinepreset.kubevirt.io/large']).toBe('kubevirt.io/v1')
  })

  test('refused with every cause', async () => {
    const bad = vmi({ evictionStrategy: 'Never', startStrategy: 'Later' })
    const { code, json } = await answerTo('--output', 'admission', file('bad.json', bad))
    expect(code).toBe(2)
    expect(json.allowed).toBe(false)
    expect(json.causes.map(({ field }: { field: string }) => field)).toEqual([
      'spec.evictionStrategy',
      'spec.startStrategy',
    ])
  })

  test('as a pod', async () => {
    const { code, json } = await answerTo('-o', 'pod', file('vmi.json', vmi()))
    expect(code).toBe(0)
    expect(json.metadata.labels['kubevirt.io']).toBe('virt-launcher')
    const compute = json.spec.containers.find(({ name }: { name: string }) => name === 'compute')
    expect(compute.image).toBe('registry.example/virt-launcher:v1')
  })

  test('as a domain', async () => {
    const { code, out } = await answerTo('-o', 'domain', file('vmi.json', vmi()))
    expect(code).toBe(0)
    expect(out).toMatch(/^<domain type="qemu"/)
    expect(out).toContain('<name>default_web</name>')
  })
})

describe('a VM', () => {
  test('becomes the pod of the VMI that its start makes', async () => {
    const { code, json } = await answerTo('-o', 'pod', file('vm.json', vm()))
    expect(code).toBe(0)
    expect(json.metadata.labels).toMatchObject({ app: 'web', 'vm.kubevirt.io/name': 'web' })
  })

  test('may leave to its instance type what that decides, and nothing else', async () => {
    const small = file('objects.json', {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClusterInstancetype',
      metadata: { name: 'small' },
      spec: { cpu: { guest: 3 }, memory: { guest: '256Mi' } },
    })
    const sized = vm({ instancetype: { name: 'small' } })
    const { code, json } = await answerTo('-o', 'admission', '--objects', small, file('sized.json', sized))
    expect(code).toBe(2)
    expect(json.causes[0].field).toBe('spec.template.spec.domain.memory.guest')
  })

  test('is what its instance type and its preference make of it', async () => {
    const unsized = vm({
      instancetype: { name: 'big' },
      preference: { name: 'fast', kind: 'VirtualMachinePreference' },
    })
    delete (unsized.spec.template.spec.domain as { memory?: object }).memory
    const types = [
      {
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterInstancetype',
        metadata: { name: 'big' },
        spec: { cpu: { guest: 4 }, memory: { guest: '2Gi' } },
      },
      {
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachinePreference',
        metadata: { name: 'fast' },
        spec: { preferredTerminationGracePeriodSeconds: 7 },
      },
    ]
    const workload = file('unsized.json', unsized)
    const objects = file('types.json', { apiVersion: 'v1', kind: 'List', items: types })
    const { code, json } = await answerTo('--objects', objects, '--output', 'pod', workload)
    expect(code).toBe(0)
    expect(json.metadata.annotations).toMatchObject({ 'kubevirt.io/cluster-instancetype-name': 'big' })
    // 2Gi and 240Mi, 8Mi for each of 4 processors, an I/O thread and graphics.
    expect(json.spec.containers[0].resources.requests).toMatchObject({ cpu: '400m', memory: '2360Mi' })
    expect(json.spec.terminationGracePeriodSeconds).toBe(7 + 30)
  })

  test('has no pod without its instance type, which is named', async () => {
    const sized = file('sized.json', vm({ instancetype: { name: 'small' } }))
    const { code, out, errors } = await answerTo('--output', 'pod', sized)
    expect([code, out]).toEqual([1, ''])
    expect(errors).toContain('VirtualMachineClusterInstancetype "small"')
  })
})

describe('what it is rendered for', () => {
  test('the KubeVirt resource or its configuration alone', async () => {
    const configuration = { evictionStrategy: 'LiveMigrate' }
    const whole = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', spec: { configuration } }
    for (const kubevirt of [file('whole.json', whole), file('configuration.json', configuration)]) {
      const { json } = await answerTo('-o', 'mutated', '--kubevirt', kubevirt, file('vmi.json', vmi()))
      expect(json.spec.evictionStrategy).toBe('LiveMigrate')
    }
  })

  test('a context with a field that is not known is refused by its path', async () => {
    const context = file(
      'context.yaml',
      'namespaces: shop\nlauncher: {image: "mine/launcher:2", imagePullSecret: mine}\n',
    )
    const answer = await answerTo('-o', 'pod', '--context', context, file('vmi.json', vmi()))
    expect(answer.code).toBe(1)
    expect(answer.errors).toMatch(/context\.yaml holds fields that no context has: namespaces, launcher\.image\n/)
    const inherited = await answerTo(
      '-o',
      'pod',
      '--context',
      file('own.yaml', 'valueOf: 1\n'),
      file('vmi.json', vmi()),
    )
    expect(inherited.errors).toMatch(/own\.yaml holds fields that no context has: valueOf\n/)
  })

  test('a context takes the place of the built-in one, field by field', async () => {
    const context = file('context.yaml', 'namespace: shop\nlauncher: {launcherImage: "mine/launcher:2"}\n')
    const ask = (output: string) => answerTo('-o', output, '--context', context, file('vmi.json', vmi()))
    expect((await ask('mutated')).json.metadata.namespace).toBe('shop')
    expect((await ask('pod')).json.spec.containers[0].image).toBe('mine/launcher:2')
  })

  test('the same answer each time', async () => {
    const path = file('vmi.json', vmi())
    expect(await answerTo('-o', 'domain', path)).toEqual(await answerTo('-o', 'domain', path))
  })
})

describe('what is broken', () => {
  test.each([
    ['no file', ['-o', 'pod'], 'give one FILE'],
    ['no output', ['vmi.yaml'], '--output must be one of'],
    ['an unknown output', ['-o', 'svg', 'vmi.yaml'], '--output must be one of'],
    ['an unknown flag', ['--colour', 'vmi.yaml'], '--colour'],
    ['a missing file', ['-o', 'pod', '/nonexistent/vmi.yaml'], '/nonexistent/vmi.yaml'],
  ])('%s', async (_what, argv, words) => {
    const { code, out, errors } = await answerTo(...argv)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(errors).toContain(words)
  })

  test('help is no mistake', async () => {
    const { code, out } = await answerTo('--help')
    expect(code).toBe(0)
    expect(out).toContain('Usage: virt-render')
  })
})
