import type { KubeVirt } from '@kubevirt-ts/api'
import type { KindRule } from '../of-kind.ts'

export type KubeVirtRule = KindRule<KubeVirt>
