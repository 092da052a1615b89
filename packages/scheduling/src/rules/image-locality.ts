import type { Container } from '@kubevirt-ts/api'
import { maxScore, type ScoreRule } from '../rule.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

const mebibyte = 1024 * 1024
const least = 23 * mebibyte
const mostPerContainer = 1000 * mebibyte

interface State {
  readonly images: readonly string[]
  readonly snapshot: Snapshot
}

/**
 * Prefers nodes that have the pod's images already. An image counts with its size times the part of all nodes that have
 * it, so that a rare image does not pull every pod to one node.
 */
export const imageLocality: ScoreRule<State> = {
  name: 'ImageLocality',
  prepare: ({ pod: { spec } }, _feasible, snapshot) => ({
    images: [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(imageNameOf),
    snapshot,
  }),
  score: ({ images, snapshot }, node) => {
    let sum = 0
    for (const image of images) {
      const size = node.images.get(image)
      if (size !== undefined) sum += Math.trunc(size * (snapshot.imageSpread(image) / snapshot.nodes.length))
    }
    const most = mostPerContainer * images.length
    const bounded = sum < least ? least : Math.min(sum, most)
    return Math.trunc((maxScore * (bounded - least)) / (most - least))
  },
}

/** The name as nodes report it. */
function imageNameOf({ image = '' }: Container): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image
}
