import { describe, expect, it } from '@jest/globals'
import { clusterOf } from '../cluster.ts'
import { containerdConfig, kubeletConfig, podNetworkConfig, registryConfig } from './config.ts'

const cluster = clusterOf({ name: 'test', slot: 1, nodes: 2 })

describe('the configuration of a node', () => {
  it('gives every node its own address, cgroup and pods', () => {
    expect(kubeletConfig(cluster, 2)).toMatchObject({
      address: '198.19.254.12',
      cgroupRoot: '/kubevirt-ts/test/test-2',
      clusterDNS: ['198.18.144.10'],
    })
    expect(podNetworkConfig(cluster, 2).plugins[0]).toMatchObject({
      ipam: { ranges: [[{ subnet: '198.18.18.0/24' }]] },
    })
  })

  it('names no folder of the host', () => {
    const text = containerdConfig() + JSON.stringify(kubeletConfig(cluster, 1))
    const folders = [...text.matchAll(/"(\/[a-z][^"]*)"/g)].map(([, path]) => path)
    expect(folders.filter((path) => !/^\/(var\/lib|run|usr\/lib\/cni|kubevirt-ts)/.test(path ?? ''))).toEqual([])
  })

  it('sends every pull to the registry of the cluster', () => {
    expect(registryConfig('198.19.254.1:5000')).toContain('server = "http://198.19.254.1:5000"')
  })
})
