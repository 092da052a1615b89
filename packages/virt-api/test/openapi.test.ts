import { expect, test } from '@jest/globals'
import { openapiV3 } from '../src/openapi/documents.ts'
import { appUnderTest } from './app-under-test.ts'
import { ask } from './ask.ts'

test('each documented operation is served with its method', async () => {
  const app = await appUnderTest({})
  try {
    const unserved: string[] = []
    for (const [path, operations] of Object.entries(openapiV3('v1').paths as Record<string, object>)) {
      const method = 'get' in operations ? 'GET' : 'PUT'
      const url = path
        .replace('{namespace}', 'n')
        .replace('{name}', 'x')
        .replace(/portforward$/, 'portforward/22')
        .replace('{port}', '22')
        .replace('{protocol}', 'udp')
      const { text } = await ask(app.port, url, { method })
      if (/could not find the requested resource|does not allow this method/.test(text))
        unserved.push(`${method} ${path}`)
    }
    expect(unserved).toEqual([])
  } finally {
    await app.close()
  }
})

test('each body is described, down to its last field', () => {
  const { paths, components } = openapiV3('v1')
  const text = JSON.stringify({ paths, components })
  const used = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name))
  expect([...used].filter((name) => !(name! in components.schemas))).toEqual([])
  expect(components.schemas['io.kubevirt.v1.StartOptions']).toMatchObject({
    type: 'object',
    properties: { dryRun: { type: 'array', items: { type: 'string' } }, paused: { type: 'boolean' } },
  })
})
