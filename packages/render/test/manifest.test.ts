import { describe, expect, test } from '@jest/globals'
import { documentsIn, oneWorkload } from '../src/manifest.ts'

const valuesIn = (text: string) => documentsIn(text, 'vm.yaml')[0] as unknown as Record<string, unknown>

describe('documents', () => {
  test('words mean what they mean to kubectl', () => {
    expect(valuesIn('{a: yes, b: Off, c: 0644, d: 0b11, e: n}')).toEqual({ a: true, b: false, c: 420, d: 3, e: false })
  })

  test('what looks like a number in other bases is text', () => {
    const text = 'mac: 02:00:00:00:00:01\nmodel: e1000\nversion: "1.0"\nsize: 1Gi'
    expect(valuesIn(text)).toEqual({ mac: '02:00:00:00:00:01', model: 'e1000', version: '1.0', size: '1Gi' })
  })

  test('lists are taken apart and empty documents left out', () => {
    const text = '---\n---\nkind: List\nitems: [{kind: Secret}, {kind: ConfigMap}]\n---\nkind: Namespace\n'
    expect(documentsIn(text, 'all.yaml').map(({ kind }) => kind)).toEqual(['Secret', 'ConfigMap', 'Namespace'])
  })

  test('JSON is read too', () => {
    expect(valuesIn('{"kind": "VirtualMachine"}')).toEqual({ kind: 'VirtualMachine' })
  })

  test('a mistake is told with the name of the file', () => {
    expect(() => documentsIn('a: [', 'vm.yaml')).toThrow('vm.yaml is not valid YAML')
    expect(() => documentsIn('hello', 'vm.yaml')).toThrow('vm.yaml must hold objects')
  })
})

describe('the workload', () => {
  test('stands among the objects that it refers to', () => {
    const { workload, others } = oneWorkload(documentsIn('kind: Secret\n---\nkind: VirtualMachine', 'f'), 'f')
    expect(workload.kind).toBe('VirtualMachine')
    expect(others.map(({ kind }) => kind)).toEqual(['Secret'])
  })

  test('is one', () => {
    expect(() => oneWorkload(documentsIn('kind: Secret', 'f'), 'f')).toThrow('but holds 0')
    expect(() => oneWorkload(documentsIn('kind: VirtualMachine\n---\nkind: VirtualMachineInstance', 'f'), 'f')).toThrow(
      'but holds 2',
    )
  })
})
