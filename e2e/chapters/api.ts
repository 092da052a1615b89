import { expect } from '@jest/globals'
import { allKinds, everyFieldSet } from '@kubevirt-ts/api/testing'
import { ensure, eventually } from '../framework/eventually.ts'
import { kubectl, tryKubectl } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { root, tools } from '../framework/tools.ts'
import { must } from '../framework/run.ts'

type Stored = { spec?: unknown; status?: unknown; [field: string]: unknown }

/** Before anything is installed, so that no admission rule refuses an object in which everything is set at once. */
export function apiChapter(): void {
  const namespace = testNamespace('api')

  scenario('the API server accepts every definition', async () => {
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', `${root}charts/kubevirt/crds`)
    await kubectl('wait', '--for=condition=Established', '--timeout=120s', '-f', `${root}charts/kubevirt/crds`)
    const flaws = await kubectl(
      'get',
      'crds',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name}{range .status.conditions[?(@.type=="NonStructuralSchema")]} {.message}{end}{"\\n"}{end}',
    )
    expect(flaws.split('\n').filter((line) => line.includes('kubevirt.io') && line.includes(' '))).toEqual([])
    // Clients find a kind in the API's list of kinds, which follows the definitions a moment later.
    await eventually('every kind is in the list', async () => {
      const listed = (await kubectl('api-resources', '-o', 'name')).split('\n')
      const missing = allKinds().filter(({ plural, group }) => !listed.includes(`${plural}.${group}`))
      ensure(missing.length === 0, `${missing.map(({ kind }) => kind).join()} are not`)
    })
  })

  scenario('no field is lost on the way through the API server, in any kind and version', async () => {
    for (const kind of allKinds()) {
      for (const { name } of kind.versions) await roundTrip(kind, name)
    }
  })

  async function roundTrip({ kind, group, plural, scope }: ReturnType<typeof allKinds>[number], version: string) {
    const name = `every-field-${version}`
    const namespaced = scope === 'Namespaced'
    const sent = everyFieldSet(kind, name) as Stored & { metadata: { namespace?: string } }
    sent['apiVersion'] = `${group}/${version}`
    if (namespaced) sent.metadata.namespace = namespace
    const resource = `${plural}.${version}.${group}`
    const where = namespaced ? ['-n', namespace] : []
    await must(tools().kubectl, ['create', '--validate=strict', '-f', '-'], { input: JSON.stringify(sent) })
    await tryKubectl(['replace', '--subresource=status', '-f', '-'], { input: JSON.stringify(sent) })
    const stored = JSON.parse(await kubectl('get', resource, name, ...where, '-o', 'json')) as Stored
    await tryKubectl(['patch', resource, name, ...where, '--type=merge', '-p', '{"metadata":{"finalizers":null}}'])
    await kubectl('delete', resource, name, ...where)
    const { metadata: _sent, ...expected } = sent
    const { metadata: _stored, ...found } = stored
    expect({ kind, version, ...found }).toEqual({ version, ...expected })
  }
}
