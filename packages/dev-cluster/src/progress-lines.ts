import type { Progress } from './steps.ts'

/**
 * Progress as lines on a terminal or in a log: `ok  etcd ready (1.2 s)`. A terminal's last line names what is being done
 * now, several things where several are; a log gets a line at the start of what takes long.
 */
export function progressLines(write: (text: string) => void, terminal: boolean): Progress {
  let now: readonly { readonly title: string; readonly hint: string | undefined }[] = []
  const nowLine = (): string => {
    const [first, ...more] = now
    if (!terminal || !first) return ''
    return more.length > 0 ? `..  ${now.map(({ title }) => title).join('  |  ')}` : `..  ${text(first)}`
  }
  const clear = terminal ? '\r\x1b[K' : ''
  const line = (mark: string, title: string, rest: string, seconds: number): void => {
    now = now.filter((one) => one.title !== title)
    write(`${clear}${mark}  ${title}${rest} (${seconds.toFixed(1)} s)\n${nowLine()}`)
  }
  return {
    started(title, hint) {
      now = [...now, { title, hint }]
      if (terminal) write(`${clear}${nowLine()}`)
      else if (hint) write(`..  ${text({ title, hint })}\n`)
    },
    done: (title, seconds, note) => line('ok', title, note ? `: ${note}` : '', seconds),
    failed: (title, seconds) => line('--', title, ' failed', seconds),
    ended: (title, seconds) => line('--', title, ' ended unfinished', seconds),
  }
}

const text = ({ title, hint }: { readonly title: string; readonly hint: string | undefined }): string =>
  `${title}${hint ? ` - ${hint}` : ''}`
