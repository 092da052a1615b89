import { readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressesOf } from './addresses.ts'
import type { Addresses } from './addresses.ts'
import { Failure } from './failure.ts'
import { stateDir, stateRoot } from './paths.ts'

/** What is recorded of a cluster, in `cluster.json` of its state. */
export type ClusterRecord = { readonly name: string; readonly slot: number; readonly nodes: number }

/** A cluster with everything that follows from its record. */
export type Cluster = ClusterRecord & {
  readonly state: string
  readonly addresses: Addresses
  /** Certificates and keys. */
  readonly pki: string
  /** Cgroup above all of its processes, relative to each tree's root. */
  readonly cgroup: string
  readonly server: string
}

/**
 * Refuses a name that could not be part of paths and host names.
 * @throws Failure
 */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9-]{0,19}$/.test(name)) return
  throw new Failure('InvalidName', `"${name}" cannot be a cluster's name`, {
    remedy: 'use up to 20 lower case letters, digits and dashes, beginning with a letter',
  })
}

/** The cgroup above all processes of a cluster. */
export const cgroupOf = (name: string): string => `kubevirt-ts/${name}`

export function clusterOf(record: ClusterRecord): Cluster {
  const state = stateDir(record.name)
  const addresses = addressesOf(record.slot)
  return {
    ...record,
    state,
    addresses,
    pki: join(state, 'pki'),
    cgroup: cgroupOf(record.name),
    server: `https://${addresses.host}:${addresses.ports.apiServer}`,
  }
}

/** The name of a node, counted from 1. */
export const nodeName = (cluster: Pick<Cluster, 'name'>, node: number): string => `${cluster.name}-${node}`

/** Numbers of the cluster's nodes. */
export const nodesOf = ({ nodes }: Pick<Cluster, 'nodes'>): number[] => Array.from({ length: nodes }, (_, i) => i + 1)

/** The record of a cluster; undefined when there is none. */
export async function readRecord(name: string): Promise<ClusterRecord | undefined> {
  const file = join(stateDir(name), 'cluster.json')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as ClusterRecord
  } catch (cause) {
    throw new Failure('StateUnreadable', `${file} is not what this program wrote`, {
      remedy: `npm run cluster -- down --name ${name}`,
      cause,
    })
  }
}

export async function writeRecord({ name, slot, nodes }: ClusterRecord): Promise<void> {
  const file = join(stateDir(name), 'cluster.json')
  await writeFile(`${file}.partial`, JSON.stringify({ name, slot, nodes }))
  await rename(`${file}.partial`, file)
}

/** The records of all clusters of this state folder. */
export async function readRecords(): Promise<ClusterRecord[]> {
  const names = await readdir(stateRoot()).catch((): string[] => [])
  const records = await Promise.all(names.map((name) => readRecord(name).catch(() => undefined)))
  return records.filter((record) => record !== undefined)
}

/**
 * The cluster of this name.
 * @throws Failure when there is none
 */
export async function requireCluster(name: string): Promise<Cluster> {
  checkName(name)
  const record = await readRecord(name)
  if (record) return clusterOf(record)
  throw new Failure('NoSuchCluster', `there is no local cluster "${name}"`, {
    remedy: `npm run cluster -- up --name ${name}`,
  })
}
