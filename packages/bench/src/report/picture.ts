import type { Chart, Series } from '../scenarios/scenario.ts'

const size = { width: 860, height: 320, left: 70, right: 230, top: 40, bottom: 50 }
const colours = ['#2f6fb0', '#c4572d', '#3b8c4a', '#7a52a1', '#8a6d1f']
const steps = [1, 2, 2.5, 5, 10]

/** Charts below each other as one SVG. */
export function picture(charts: readonly Chart[]): string {
  const body = charts.map((chart, index) => `<g transform="translate(0 ${index * size.height})">${drawn(chart)}</g>`)
  const height = size.height * charts.length
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${size.width}" height="${height}" fill="#ffffff"/>
${body.join('\n')}
</svg>
`
}

function drawn({ title, x, y, series }: Chart): string {
  const points = series.flatMap((each) => each.points)
  const across = axis(Math.max(0, ...points.map(([value]) => value)), size.left, size.width - size.right)
  const up = axis(Math.max(0, ...points.map(([, value]) => value)), size.height - size.bottom, size.top)
  return [
    text(size.left, 22, title, 'font-size="14" font-weight="bold"'),
    ...across.ticks.map((tick) =>
      text(across.at(tick), size.height - size.bottom + 18, String(tick), 'text-anchor="middle"'),
    ),
    ...up.ticks.map(
      (tick) => rule(up.at(tick)) + text(size.left - 8, up.at(tick) + 4, String(tick), 'text-anchor="end"'),
    ),
    text((size.left + size.width - size.right) / 2, size.height - 12, x, 'text-anchor="middle" fill="#555"'),
    text(14, size.height / 2, y, `text-anchor="middle" fill="#555" transform="rotate(-90 14 ${size.height / 2})"`),
    ...series.map((each, index) => line(each, index, across.at, up.at)),
  ].join('\n')
}

type Axis = { readonly at: (value: number) => number; readonly ticks: readonly number[] }

/** From 0 to a round value above the largest. */
function axis(largest: number, from: number, to: number): Axis {
  const raw = (largest || 1) / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = (steps.find((each) => each * power >= raw) ?? 10) * power
  const count = Math.ceil((largest || 1) / step)
  return {
    at: (value) => Math.round((from + ((to - from) * value) / (step * count)) * 10) / 10,
    ticks: Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6))),
  }
}

function line({ name, points }: Series, index: number, x: Axis['at'], y: Axis['at']): string {
  const colour = colours[index % colours.length]
  const path = points.map(([a, b]) => `${x(a)},${y(b)}`).join(' ')
  const legend = size.top + 14 + index * 20
  const right = size.width - size.right + 14
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>
<rect x="${right}" y="${legend - 9}" width="10" height="10" fill="${colour}"/>${text(right + 16, legend, name, '')}`
}

const rule = (y: number): string =>
  `<line x1="${size.left}" x2="${size.width - size.right}" y1="${y}" y2="${y}" stroke="#e3e3e3"/>`

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</text>`
