import { expect, test } from '@jest/globals'
import { vmi, withAnnotation, withMemory, withName } from '@kubevirt-ts/libvmi'
import { renderContext } from '../../../test/render-context.ts'
import { renderLaunchPod } from './index.ts'

const command = 'pre.hook.backup.velero.io/command'
const container = 'post.hook.backup.velero.io/container'

function annotationsWith(key: string, value: string): Record<string, string> {
  const guest = vmi(withName('guest'), withMemory('64Mi'), withAnnotation(key, value))
  const context = renderContext({ developerConfiguration: { useEmulation: true } })
  return renderLaunchPod(guest, context).metadata.annotations ?? {}
}

test('a backup freezes the guest, unless its owner gave hooks of their own', () => {
  expect(annotationsWith('x', 'y')[command]).toContain('--freeze')
  const own = annotationsWith(command, '["/bin/true"]')
  expect(own[command]).toBe('["/bin/true"]')
  expect(own[container]).toBe('compute')
})

test('a guest that is to be backed up without hooks has none', () => {
  const annotations = annotationsWith('kubevirt.io/skip-backup-hooks', 'true')
  expect(Object.keys(annotations).filter((key) => key.includes('velero'))).toEqual([])
  expect(annotationsWith('kubevirt.io/skip-backup-hooks', 'false')[command]).toContain('--freeze')
})
