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
      const { text } = await ask(app.port, url, { method })
      if (/could not find the requested resource/.test(text)) unserved.push(`${method} ${path}`)
    }
    expect(unserved).toEqual([])
  } finally {
    await app.close()
  }
})
