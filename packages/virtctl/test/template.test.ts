import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { answer, objects, sent, start, terminal, virtctl } from './command-line.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'template-'))))
afterEach(() => rm(folder, { recursive: true }))

const template = {
  apiVersion: 'template.kubevirt.io/v1beta1',
  kind: 'VirtualMachineTemplate',
  metadata: { name: 'fedora' },
  spec: {
    message: 'Log in to ${NAME} with ${PASSWORD}.',
    parameters: [
      { name: 'NAME', required: true },
      { name: 'CORES', value: '2' },
      { name: 'FIELD', value: 'cores' },
      { name: 'PASSWORD', generate: 'expression', from: 'x[A-C]{3}-[\\d]{2}' },
    ],
    virtualMachine: {
      metadata: { name: '${NAME}', namespace: 'elsewhere', labels: { of: 'a-${NAME}-${CORES}' } },
      spec: {
        runStrategy: 'Always',
        template: {
          spec: { domain: { cpu: { '${FIELD}': '${{CORES}}' } }, hostname: '${HOME}', script: '${PASSWORD}' },
        },
      },
    },
  },
}

async function file(content: object, name = 'template.yaml'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, stringify(content))
  return path
}

const processed = async (...argv: string[]) => virtctl('template', 'process', ...argv)

test('the machine of a template has the values of its parameters, given, its own or drawn', async () => {
  const { code, out, err } = await processed('-f', await file(template), '-p', 'NAME=mine', '--param=CORES=4')
  expect(code).toBe(0)
  const vm = parse(out)
  const { script } = vm.spec.template.spec
  expect(script).toMatch(/^x[ABC]{3}-\d\d$/)
  expect(err).toBe(`Log in to mine with ${script}.\n`)
  expect(vm).toEqual({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'mine', labels: { of: 'a-mine-4' } },
    spec: {
      runStrategy: 'Always',
      template: { spec: { domain: { cpu: { cores: 4 } }, hostname: '${HOME}', script } },
    },
  })
})

test('a template comes from standard input, and its values from a file', async () => {
  const used = terminal()
  used.stdin.end(stringify(template))
  const values = await file({ NAME: 'mine', CORES: 8, PASSWORD: 'known' }, 'values.yaml')
  expect(await start(used, 'template', 'process', '-f', '-', '--params-file', values, '-o', 'json')).toBe(0)
  expect(JSON.parse(used.out())).toMatchObject({
    metadata: { name: 'mine' },
    spec: { template: { spec: { domain: { cpu: { cores: 8 } }, script: 'known' } } },
  })
})

test.each<[string, readonly string[], RegExp]>([
  ['without a value that is needed', [], /parameter NAME is required .* add --param NAME=VALUE/],
  ['with a parameter that it has not', ['-p', 'SIZE=1'], /parameter SIZE not found in template; use NAME, CORES/],
  ['with two ways to give values', ['-p', 'NAME=a', '--params-file=x'], /--param and --params-file/],
  ['that is to be created, from a file', ['--create'], /--create and --file/],
])('a template %s is refused', async (_, argv, message) => {
  const { code, out, err } = await processed('-f', await file(template), ...argv)
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(message) })
})

test('what a template can be told is printed', async () => {
  const { out } = await processed('-f', await file(template), '--print-params')
  expect(parse(out)).toEqual(template.spec.parameters)
})

const templates = (version: string) =>
  `/apis/template.kubevirt.io/${version}/namespaces/n/virtualmachinetemplates/fedora`

test.each(['v1beta1', 'v1alpha1'])('a machine is created by a template of the cluster, %s', async (version) => {
  answer(`GET ${templates(version)}`, template)
  answer(`POST ${objects}/virtualmachines`, { metadata: { name: 'mine' } }, 201)
  const { code, out } = await processed('fedora', '-p', 'NAME=mine,PASSWORD=known', '--create')
  expect({ code, out }).toEqual({
    code: 0,
    out: 'virtualmachine.kubevirt.io/mine created\nLog in to mine with known.\n',
  })
  expect(sent().body).toMatchObject({ metadata: { name: 'mine', namespace: 'n' } })
})

test('a cluster without templates says what else there is', async () => {
  const { code, err } = await processed('--name=fedora')
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('--file takes one from a file') })
  const made = await virtctl('template', 'create', '--vm-name=mine')
  expect({ code: made.code, err: made.err }).toEqual({ code: 1, err: expect.stringContaining('virt-template') })
})

test('a template of a machine is asked for', async () => {
  answer('POST /apis/template.kubevirt.io/v1beta1/namespaces/n/virtualmachinetemplaterequests', {}, 201)
  const { code, out } = await virtctl('template', 'create', '--vm-name=mine', '--name=fedora', '--vm-namespace=m')
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/request\.template\.kubevirt\.io\/mine-\w+ created/),
  })
  expect(sent().body).toMatchObject({
    kind: 'VirtualMachineTemplateRequest',
    spec: { virtualMachineRef: { namespace: 'm', name: 'mine' }, templateName: 'fedora' },
  })
})

test('a template of OpenShift with one machine is converted', async () => {
  const { virtualMachine, ...spec } = template.spec
  const openshift = { kind: 'Template', metadata: { name: 'fedora', uid: 'u' }, objects: [virtualMachine], ...spec }
  const { out } = await virtctl('template', 'convert', '-f', await file(openshift))
  expect(parse(out)).toEqual(template)
  const two = await file({ ...openshift, objects: [virtualMachine, virtualMachine] }, 'two.yaml')
  expect((await virtctl('template', 'convert', '-f', two)).err).toMatch(/exactly one object, found 2/)
})
