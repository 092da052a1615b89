import { describe, expect, test } from '@jest/globals'
import { readFile } from 'node:fs/promises'
import { silentLog } from '@kubevirt-ts/controller/testing'
import { WaitingPods } from '../framework/waiting-pods.ts'
import type { PluginServices } from '../framework/registry.ts'
import { plugins } from '../plugins/index.ts'
import { buildFrameworks } from './build-frameworks.ts'
import { defaultConfiguration, readConfiguration } from './configuration.ts'

const names = plugins.map(({ name }) => name)
const known = new Map(plugins.map((factory) => [factory.name, { factory, isExternal: false }]))

const services = { log: silentLog(), waitingPods: new WaitingPods() } as unknown as PluginServices

function read(text: string) {
  return readConfiguration('ksc.yaml', text, names)
}

function profileOf(yaml: string): string {
  return `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
${yaml}`
}

/** The plugins of a profile at a point, in order. */
function pluginsAt(
  text: string,
  point: 'filter' | 'score' | 'preBind' | 'reserve' | 'bind' | 'postBind' | 'preFilter',
) {
  const frameworks = buildFrameworks({ configuration: read(text), plugins: known, services, pluginTimeoutMs: 100 })
  const [framework] = frameworks.values()
  return framework!
    .at(point)
    .map(({ plugin, weight }) => (point === 'score' ? `${plugin.name} ${weight}` : plugin.name))
}

describe('the sample', () => {
  const sample = () => readFile(new URL('../../test/data/ksc.yaml', import.meta.url), 'utf8')

  test('loads unchanged', async () => {
    const { profiles, clientConnection, leaderElection } = read(await sample())

    expect(profiles.map(({ schedulerName }) => schedulerName)).toEqual(['stickyvm'])
    expect(clientConnection).toEqual({ kubeconfig: '/etc/kubernetes/scheduler.kubeconfig', qps: 50, burst: 100 })
    expect(leaderElection.leaderElect).toBe(true)
  })

  test('warns of the unknown plugin that it disables, and that volumes will not bind', async () => {
    const { warnings } = read(await sample())

    expect(warnings.find((line) => line.includes('NodeResourceFit'))).toMatch(/^ksc\.yaml:12: .*there is no plugin/)
    expect(warnings.find((line) => line.includes('at preBind'))).toMatch(/never bind/)
  })

  test('does what it says at each point', async () => {
    const text = await sample()

    expect(pluginsAt(text, 'preFilter')).toContain('NodeResourcesFit')
    expect(pluginsAt(text, 'preFilter').at(-1)).toBe('StickyVM')
    expect(pluginsAt(text, 'filter')).not.toContain('NodePorts')
    expect(pluginsAt(text, 'filter').at(-1)).toBe('StickyVM')
    expect(pluginsAt(text, 'reserve')).toEqual([])
    expect(pluginsAt(text, 'preBind')).toEqual([])
    expect(pluginsAt(text, 'bind')).toEqual(['DefaultBinder'])
    expect(pluginsAt(text, 'postBind')).toEqual(['StickyVM'])
  })
})

describe('defaults are those of kube-scheduler', () => {
  const plain = profileOf('- schedulerName: x\n')

  test('filters and scores in its order, with its weights', () => {
    expect(pluginsAt(plain, 'filter')).toEqual([
      'NodeUnschedulable',
      'NodeName',
      'TaintToleration',
      'NodeAffinity',
      'NodePorts',
      'NodeResourcesFit',
      'VolumeRestrictions',
      'NodeVolumeLimits',
      'VolumeBinding',
      'VolumeZone',
      'PodTopologySpread',
      'InterPodAffinity',
      'DynamicResources',
    ])
    expect(pluginsAt(plain, 'score')).toEqual([
      'TaintToleration 3',
      'NodeAffinity 2',
      'NodeResourcesFit 1',
      'PodTopologySpread 2',
      'InterPodAffinity 2',
      'NodeResourcesBalancedAllocation 1',
      'ImageLocality 1',
    ])
  })

  test('without a file one profile sticks VMs to their homes', () => {
    expect(defaultConfiguration(names).profiles.map(({ schedulerName }) => schedulerName)).toEqual(['stickyvm'])
  })

  test('a weight at multiPoint holds at its points, and a plugin named again at a point comes first there', () => {
    const text = profileOf(`- schedulerName: x
  plugins:
    multiPoint: { enabled: [{ name: NodeAffinity, weight: 7 }] }
    score: { enabled: [{ name: ImageLocality, weight: 5 }] }
`)
    expect(pluginsAt(text, 'score').slice(0, 3)).toEqual(['ImageLocality 5', 'TaintToleration 3', 'NodeAffinity 7'])
  })

  test('everything may be disabled at multiPoint and named anew', () => {
    const text = profileOf(`- schedulerName: x
  plugins:
    multiPoint:
      disabled: [{ name: '*' }]
      enabled: [{ name: PrioritySort }, { name: NodeName }, { name: DefaultBinder }]
`)
    expect(pluginsAt(text, 'filter')).toEqual(['NodeName'])
    expect(pluginsAt(text, 'score')).toEqual([])
  })
})

describe('mistakes are told with file, line and field', () => {
  test.each([
    ['no YAML', 'a: [', /^ksc\.yaml:1: /],
    [
      'an unknown version',
      'apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n',
      /^ksc\.yaml:1: apiVersion: "kubescheduler\.config\.k8s\.io\/v1beta1" is unknown/,
    ],
    ['another kind', 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: Pod\n', /^ksc\.yaml:2: kind: "Pod"/],
    [
      'no profile',
      'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n',
      /needs at least one profile/,
    ],
    [
      'an unknown field',
      profileOf('- schedulerName: x\n  plugin: {}\n'),
      /^ksc\.yaml:5: profiles\[0\]\.plugin: unknown field/,
    ],
    [
      'two profiles of one name',
      profileOf('- schedulerName: x\n- schedulerName: x\n'),
      /^ksc\.yaml:5: profiles\[1\]: a second profile is called x/,
    ],
    [
      'a weight of 0',
      profileOf(
        '- schedulerName: x\n  plugins:\n    score:\n      enabled:\n      - name: ImageLocality\n        weight: 0\n',
      ),
      /^ksc\.yaml:9: profiles\[0\]\.plugins\.score\.enabled\[0\]\.weight: 0 is not between/,
    ],
    [
      'a weight of a billion',
      profileOf(
        '- schedulerName: x\n  plugins: { score: { enabled: [{ name: ImageLocality, weight: 1000000000 }] } }\n',
      ),
      /weight: 1000000000 is not between/,
    ],
    [
      'an unknown plugin',
      profileOf('- schedulerName: x\n  plugins: { filter: { enabled: [{ name: Nonsense }] } }\n'),
      /there is no plugin Nonsense; known are DefaultBinder, .*StickyVM/,
    ],
    [
      'a removed plugin',
      profileOf('- schedulerName: x\n  plugins: { score: { enabled: [{ name: SelectorSpread }] } }\n'),
      /SelectorSpread cannot be enabled: it was removed from Kubernetes/,
    ],
    [
      'a plugin twice',
      profileOf('- schedulerName: x\n  plugins: { filter: { enabled: [{ name: NodeName }, { name: NodeName }] } }\n'),
      /enabled twice/,
    ],
    ['a list that is none', profileOf('  schedulerName: x\n'), /profiles: must be a list/],
  ])('%s', (_what, text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test.each([
    [
      'a plugin at a point that it takes no part in',
      'plugins: { bind: { enabled: [{ name: NodeName }] } }',
      /NodeName takes no part in bind/,
    ],
    ['no binder', "plugins: { bind: { disabled: [{ name: '*' }] } }", /has no plugin that binds/],
    ['no order of the queue', "plugins: { queueSort: { disabled: [{ name: '*' }] } }", /exactly one queueSort plugin/],
    [
      'wrong arguments',
      'pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: Best } } }]',
      /^ksc\.yaml:5: profiles\[0\]\.pluginConfig\[0\]\.args\.scoringStrategy\.type: "Best" is not one of/,
    ],
    [
      'arguments of an unknown plugin',
      'pluginConfig: [{ name: Nonsense, args: {} }]',
      /there is no plugin Nonsense to configure/,
    ],
    [
      'an unknown policy of StickyVM',
      'plugins: { multiPoint: { enabled: [{ name: StickyVM }] } }\n  pluginConfig: [{ name: StickyVM, args: { policy: always } }]',
      /"always" is not one of required, preferred, off/,
    ],
  ])('%s', (_what, yaml, message) => {
    expect(() => pluginsAt(profileOf(`- schedulerName: x\n  ${yaml}\n`), 'bind')).toThrow(message)
  })
})
