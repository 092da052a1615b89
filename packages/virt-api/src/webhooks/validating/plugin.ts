import type { Plugin } from '@kubevirt-ts/api'
import { invalid, notSupported, oneOf, required, when } from './cause.ts'
import type { Cause } from './cause.ts'
import type { KindRule } from './of-kind.ts'

type Rule = KindRule<Plugin>

const moments = [
  'PreVMStart',
  'PostVMStart',
  'PreVMStop',
  'PostVMStop',
  'PreMigrationSource',
  'PreMigrationTarget',
  'PostMigrationTarget',
]
const strategies = ['Fail', 'Ignore']

const strategy = (value: string | undefined, field: string): Cause[] =>
  when(Boolean(value) && !strategies.includes(value!), () =>
    notSupported(field, `unknown failureStrategy ${value}; ${oneOf(strategies)}`),
  )

/** How long a hook may take, as Go writes durations; 0 would never let it end. */
const timeout = (value: string | undefined, field: string): Cause[] =>
  when(value !== undefined && !/^(?=.*[1-9])(\d+(\.\d+)?(h|m|s|ms))+$/.test(value), () =>
    invalid(field, `timeout ${value} must be a duration above 0, such as 10s`),
  )

const socket = (path: string | undefined, field: string): Cause[] =>
  when(!path?.startsWith('/') || path.split('/').includes('..'), () =>
    invalid(field, `${field} must be an absolute path without ".."; it is ${path}`),
  )

const ownStrategy: Rule = ({ object: { spec } }) => strategy(spec.failureStrategy, 'spec.failureStrategy')

const domainHooks: Rule = ({ object: { spec } }) =>
  (spec.domainHooks ?? []).flatMap((hook, index) => {
    const field = `spec.domainHooks[${index}]`
    return [
      ...when((hook.cel === undefined) === (hook.sidecar === undefined), () =>
        invalid(field, `${field} must have exactly one of cel and sidecar`),
      ),
      ...when(hook.cel !== undefined && !hook.cel.expression?.trim(), () =>
        required(`${field}.cel.expression`, 'a CEL expression is needed'),
      ),
      ...(hook.sidecar ? socket(hook.sidecar.socketPath, `${field}.sidecar.socketPath`) : []),
      ...strategy(hook.failureStrategy, `${field}.failureStrategy`),
      ...timeout(hook.timeout, `${field}.timeout`),
    ]
  })

const nodeHooks: Rule = ({ object: { spec } }) =>
  (spec.nodeHooks ?? []).flatMap((hook, index) => {
    const field = `spec.nodeHooks[${index}]`
    const unknown = (hook.permittedHooks ?? []).filter((each) => !moments.includes(each))
    return [
      ...socket(hook.socket, `${field}.socket`),
      ...when(!hook.permittedHooks?.length, () =>
        required(`${field}.permittedHooks`, `name the moments at which the hook runs; ${oneOf(moments)}`),
      ),
      ...when(unknown.length > 0, () =>
        notSupported(`${field}.permittedHooks`, `unknown hook ${unknown.join(', ')}; ${oneOf(moments)}`),
      ),
      ...strategy(hook.failureStrategy, `${field}.failureStrategy`),
      ...timeout(hook.timeout, `${field}.timeout`),
    ]
  })

export const pluginRules: readonly Rule[] = [ownStrategy, domainHooks, nodeHooks]
