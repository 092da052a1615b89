import { expect, test } from '@jest/globals'
import { picture } from './picture.ts'

test('each series is a line that begins at its first point and stays inside the picture', () => {
  const svg = picture([
    {
      title: 'a < b',
      x: 'objects',
      y: 'MiB',
      series: [
        {
          name: 'RSS',
          points: [
            [0, 40],
            [1000, 61],
            [2000, 93],
          ],
        },
      ],
    },
  ])
  const points =
    /points="([^"]+)"/
      .exec(svg)?.[1]
      ?.split(' ')
      .map((point) => point.split(',').map(Number)) ?? []
  expect(points).toHaveLength(3)
  expect(points.map(([x]) => x)).toEqual([70, 350, 630])
  for (const [, y = NaN] of points) {
    expect(y).toBeGreaterThanOrEqual(40)
    expect(y).toBeLessThanOrEqual(270)
  }
  expect(svg).toContain('a &lt; b')
})
