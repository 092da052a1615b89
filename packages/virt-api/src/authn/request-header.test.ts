import { expect, test } from '@jest/globals'
import type { ConfigMap } from '@kubevirt-ts/api'
import { requestHeaderConfig, userFromHeaders } from './request-header.ts'

const configMap = (data: Record<string, string>) => ({ metadata: { name: 'x' }, data }) as ConfigMap

test('without an authority nobody can be believed', () => {
  expect(requestHeaderConfig(undefined)).toBeUndefined()
  expect(requestHeaderConfig(configMap({}))).toBeUndefined()
})

test('header names of the cluster come beside the usual ones, whatever their case', () => {
  const config = requestHeaderConfig(
    configMap({
      'requestheader-client-ca-file': 'PEM',
      'requestheader-allowed-names': '["front"]',
      'requestheader-username-headers': '["X-Proxy-User"]',
      'requestheader-group-headers': 'no JSON',
    }),
  )
  expect(config).toEqual({
    clientCa: 'PEM',
    allowedNames: ['front'],
    userHeaders: ['x-remote-user', 'x-proxy-user'],
    groupHeaders: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  })
  expect(userFromHeaders({ 'x-proxy-user': ['bob'], 'x-remote-group': ['a,b', 'c'] }, config!)).toEqual({
    user: { name: 'bob', groups: ['a,b', 'c'], extra: {} },
  })
})
