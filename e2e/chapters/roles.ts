import { expect } from '@jest/globals'
import { subjectAccessReviews } from '@kubevirt-ts/api'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import type { KubeClient } from '@kubevirt-ts/kubecli'
import { ensure, eventually } from '../framework/eventually.ts'
import { kubectl } from '../framework/kubectl.ts'
import { testNamespace } from '../framework/namespace.ts'
import { scenario } from '../framework/scenario.ts'
import { tools } from '../framework/tools.ts'

/** Users of one role each; `nobody` has none beside what every user has. The first three hold Kubernetes' own roles. */
const roles = { admin: 'admin', edit: 'edit', view: 'view', migrate: 'kubevirt.io:migrate', nobody: undefined } as const
type User = keyof typeof roles
const users = Object.keys(roles) as User[]

const read = ['get', 'list', 'watch']
const write = ['create', 'update', 'patch', 'delete']
const readers: readonly User[] = ['admin', 'edit', 'view']
const writers: readonly User[] = ['admin', 'edit']

interface Right {
  readonly verbs: readonly string[]
  readonly group: string
  /** With their subresources. */
  readonly resources: readonly string[]
  readonly who: readonly User[]
}

/** A group's kinds, that readers read, writers write, and the admin deletes all at once. */
const kinds = (group: string, ...resources: string[]): Right[] => [
  { verbs: read, group, resources, who: readers },
  { verbs: write, group, resources, who: writers },
  { verbs: ['deletecollection'], group, resources, who: ['admin'] },
]
const subresources = (verb: string, kind: string, names: readonly string[], who: readonly User[]): Right[] =>
  ['get', 'update'].map((each) => ({
    verbs: [each],
    group: 'subresources.kubevirt.io',
    resources: names.map((name) => `${kind}/${name}`),
    who: each === verb ? who : [],
  }))

const vm = 'virtualmachines'
const vmi = 'virtualmachineinstances'

const rights: readonly Right[] = [
  ...kinds('kubevirt.io', vm, vmi, 'virtualmachineinstancepresets', 'virtualmachineinstancereplicasets'),
  ...kinds('pool.kubevirt.io', 'virtualmachinepools'),
  ...kinds(
    'snapshot.kubevirt.io',
    'virtualmachinesnapshots',
    'virtualmachinesnapshotcontents',
    'virtualmachinerestores',
  ),
  ...kinds('export.kubevirt.io', 'virtualmachineexports'),
  ...kinds('clone.kubevirt.io', 'virtualmachineclones'),
  ...kinds('instancetype.kubevirt.io', 'virtualmachineinstancetypes', 'virtualmachinepreferences'),
  {
    verbs: read,
    group: 'instancetype.kubevirt.io',
    resources: ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'],
    who: users,
  },
  {
    verbs: write,
    group: 'instancetype.kubevirt.io',
    resources: ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'],
    who: writers,
  },
  { verbs: read, group: 'migrations.kubevirt.io', resources: ['migrationpolicies'], who: readers },
  { verbs: write, group: 'migrations.kubevirt.io', resources: ['migrationpolicies'], who: [] },
  {
    verbs: read,
    group: 'kubevirt.io',
    resources: ['virtualmachineinstancemigrations'],
    who: [...readers, 'migrate'],
  },
  {
    verbs: [...write, 'deletecollection'],
    group: 'kubevirt.io',
    resources: ['virtualmachineinstancemigrations'],
    who: ['migrate'],
  },
  { verbs: ['get', 'list'], group: 'kubevirt.io', resources: ['kubevirts'], who: users },
  { verbs: write, group: 'kubevirt.io', resources: ['kubevirts'], who: [] },
  // A status is written by KubeVirt alone.
  { verbs: ['update', 'patch'], group: 'kubevirt.io', resources: [`${vm}/status`], who: [] },
  { verbs: ['get', 'list'], group: 'subresources.kubevirt.io', resources: ['version', 'guestfs'], who: users },
  { verbs: ['update'], group: 'subresources.kubevirt.io', resources: ['expand-vm-spec'], who: users },
  ...subresources('get', vm, ['expand-spec', 'objectgraph'], readers),
  ...subresources('get', vmi, ['guestosinfo', 'filesystemlist', 'userlist', 'objectgraph'], readers),
  ...subresources('get', vm, ['portforward'], writers),
  ...subresources(
    'get',
    vmi,
    [
      'console',
      'vnc',
      'vnc/screenshot',
      'portforward',
      'usbredir',
      'vsock',
      'sev/fetchcertchain',
      'sev/querylaunchmeasurement',
    ],
    writers,
  ),
  ...subresources(
    'update',
    vm,
    ['start', 'stop', 'restart', 'addvolume', 'removevolume', 'memorydump', 'removememorydump'],
    writers,
  ),
  ...subresources(
    'update',
    vmi,
    [
      'pause',
      'unpause',
      'freeze',
      'unfreeze',
      'softreboot',
      'reset',
      'addvolume',
      'removevolume',
      'backup',
      'redefine-checkpoint',
      'sev/setupsession',
      'sev/injectlaunchsecret',
    ],
    writers,
  ),
  ...subresources('update', vm, ['migrate', 'evacuate/cancel'], ['migrate']),
  ...subresources('update', vmi, ['evacuate/cancel'], ['migrate']),
]

/** Who may do what: each verb of each role, also what it does not give, in the API server's own words. */
export function rolesChapter(): void {
  const namespace = testNamespace('roles')
  const account = (user: User) => `system:serviceaccount:${namespace}:${user}`

  scenario('Kubernetes’ own roles and those of KubeVirt give what they say, and nothing else', async () => {
    for (const [user, role] of Object.entries(roles)) {
      await kubectl('create', 'serviceaccount', user, '-n', namespace)
      if (role === undefined) continue
      const subject = `--serviceaccount=${namespace}:${user}`
      await kubectl('create', 'rolebinding', user, '-n', namespace, `--clusterrole=${role}`, subject)
    }
    const client = createClient(await loadConfig({ kubeconfig: tools().kubeconfig }), { userAgent: 'e2e' })
    try {
      // Kubernetes adds KubeVirt's roles to its own a moment after they were made.
      await eventually('the roles are in force', async () => {
        for (const user of readers) {
          const right = { verb: 'get', group: 'kubevirt.io', resource: vm }
          ensure(await isAllowed(client, namespace, account(user), right), `not those of ${user}`)
        }
      })
      const given: Record<string, string[]> = {}
      const expected: Record<string, readonly string[]> = {}
      for (const { verbs, group, resources, who } of rights) {
        for (const resource of resources) {
          await Promise.all(
            verbs.map(async (verb) => {
              const right = { verb, group, resource }
              const may = await Promise.all(users.map((user) => isAllowed(client, namespace, account(user), right)))
              const name = `${verb} ${resource}.${group}`
              given[name] = users.filter((_, index) => may[index])
              expected[name] = users.filter((user) => who.includes(user))
            }),
          )
        }
      }
      expect(given).toEqual(expected)
    } finally {
      await client.close()
    }
  })
}

async function isAllowed(
  client: KubeClient,
  namespace: string,
  user: string,
  right: { readonly verb: string; readonly group: string; readonly resource: string },
): Promise<boolean> {
  const [resource = '', ...subresource] = right.resource.split('/')
  const { status } = await client.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      user,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      resourceAttributes: { ...right, namespace, resource, subresource: subresource.join('/') },
    },
  })
  return status?.allowed === true
}
