import { expect } from '@jest/globals'
import { installPackages } from '@kubevirt-ts/dev-cluster'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apply, kubectl, vmiInPhase } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { pythonPrograms } from '../framework/python.ts'
import { must } from '../framework/run.ts'
import { scenario } from '../framework/scenario.ts'
import { root } from '../framework/tools.ts'
import { vncProxy } from '../framework/virtctl.ts'
import { guest, tinyVm } from '../manifests/vms.ts'
import { secureShellScenario } from './secure-shell.ts'

const clients = `${root}e2e/clients`

/** Programs that others wrote drive the VM API, unmodified. Those of Python take minutes to install: the full form. */
export function foreignClientsChapter(): void {
  const namespace = testNamespace('foreign')
  const name = 'driven'

  scenario('@kubernetes/client-node makes, watches, patches, applies and deletes a VM', async () => {
    const manifest = tinyVm({ name: 'node', namespace, runStrategy: 'Halted' })
    const told = await must(process.execPath, ['--no-warnings', `${clients}/client-node.ts`, namespace], {
      input: JSON.stringify(manifest),
    })
    expect(JSON.parse(told)).toEqual({
      architecture: 'amd64',
      patched: { by: 'patch' },
      applied: { by: 'patch', applied: 'yes' },
      listed: ['node'],
      refused: 422,
      events: 'MODIFIED',
    })
  })

  scenario('a VNC viewer takes a picture of the screen through virtctl', async () => {
    if (!existsSync('/usr/bin/vncsnapshot')) await installPackages(['vncsnapshot'], join(tmpdir(), 'vncsnapshot.log'))
    await apply(tinyVm({ name, namespace, graceSeconds: 5 }))
    await vmiInPhase(namespace, name, 'Running', { timeoutMs: 120_000 })
    const folder = await mkdtemp(join(tmpdir(), 'vnc-'))
    try {
      await using proxy = await vncProxy(namespace, name)
      const file = join(folder, 'screen.jpg')
      await must('vncsnapshot', ['-quiet', `127.0.0.1::${proxy.port}`, file])
      expect((await readFile(file)).subarray(0, 2).toString('hex')).toBe('ffd8')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  if (process.env['E2E_FOREIGN'] === '1') {
    secureShellScenario(namespace)
    pythonScenarios(namespace, name)
  }

  scenario('the VM goes', async () => {
    await kubectl('delete', 'vm', name, '-n', namespace, '--timeout=120s')
  })
}

/** Installing takes minutes, once. */
const installMs = 1_500_000

function pythonScenarios(namespace: string, name: string): void {
  scenario(
    'Python’s kubernetes package makes a VM, pauses, stops and deletes it',
    async () => {
      const program = [`${clients}/python_client.py`, namespace]
      const manifest = tinyVm({ name: 'python', namespace, graceSeconds: 5 })
      const told = await must(`${await pythonPrograms()}/python`, program, { input: JSON.stringify(manifest) })
      expect(JSON.parse(told)).toEqual({
        architecture: 'amd64',
        running: 'MODIFIED',
        patched: { by: 'patch' },
        applied: { by: 'patch', applied: 'yes' },
        answers: ['done', expect.stringContaining('VMI is already paused'), 'done', 'done'],
        refused: 422,
      })
    },
    installMs,
  )

  scenario(
    'Ansible’s kubevirt.core modules make, find and remove a VM',
    async () => {
      const programs = await pythonPrograms()
      const facts = { vm_name: 'ansible', vm_namespace: namespace, vm_image: guest.tiny }
      const given = Object.entries({ ...facts, ansible_python_interpreter: `${programs}/python` })
      const args = ['-i', 'localhost,', ...given.flatMap(([key, value]) => ['-e', `${key}=${value}`])]
      const told = await must(`${programs}/ansible-playbook`, [...args, `${clients}/playbook.yaml`], {
        timeoutMs: 400_000,
      })
      expect(told).toMatch(/failed=0/)
    },
    installMs,
  )

  scenario(
    'schemathesis finds no request that the subresources answer with a fault of theirs',
    async () => {
      const programs = await pythonPrograms()
      const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
      try {
        const spec = join(folder, 'openapi.json')
        const env = await schemathesisEnvironment(namespace, name, folder, spec)
        const seed = process.env['E2E_SEED'] ?? String(Date.now() % 1e6)
        const checks = 'undocumented_server_error,refusals_are_statuses'
        const args = ['run', spec, '--seed', seed, '--phases', 'coverage,fuzzing', '-c', checks, '--warnings', 'off']
        const config = ['--config-file', `${clients}/schemathesis.toml`]
        process.stderr.write(`schemathesis with seed ${seed}\n`)
        await must(`${programs}/schemathesis`, [...config, ...args], { env, cwd: folder, timeoutMs: 900_000 })
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    installMs,
  )
}

/** Writes the API's description and the cluster's authority into a folder, and says where everything is. */
async function schemathesisEnvironment(namespace: string, name: string, folder: string, spec: string) {
  await kubectl('create', 'serviceaccount', 'fuzz', '-n', namespace)
  const binding = ['--clusterrole=admin', `--serviceaccount=${namespace}:fuzz`]
  await kubectl('create', 'rolebinding', 'fuzz', '-n', namespace, ...binding)
  const [cluster] = JSON.parse(await kubectl('config', 'view', '--raw', '-o', 'jsonpath={.clusters}')) as [
    { cluster: { server: string; 'certificate-authority-data': string } },
  ]
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, Buffer.from(cluster.cluster['certificate-authority-data'], 'base64'))
  await writeFile(spec, await kubectl('get', '--raw', '/openapi/v3/apis/subresources.kubevirt.io/v1'))
  return {
    PYTHONPATH: clients,
    API_SERVER: cluster.cluster.server,
    API_CA: ca,
    API_TOKEN: (await kubectl('create', 'token', 'fuzz', '-n', namespace, '--duration=1h')).trim(),
    VM_NAMESPACE: namespace,
    VM_NAME: name,
  }
}
