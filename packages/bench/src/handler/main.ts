import { parseArgs } from 'node:util'
import { createClient, loadConfig } from '@kubevirt-ts/kubecli'
import { beatHearts } from './hearts.ts'
import { playGuests } from './play.ts'

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    nodes: { type: 'string', default: '0' },
    'start-ms': { type: 'string', default: '0' },
    'stop-ms': { type: 'string', default: '0' },
  },
})

const client = createClient(await loadConfig({ kubeconfig: values.kubeconfig }), { userAgent: 'virt-handler' })
const timing = { startMs: Number(values['start-ms']), stopMs: Number(values['stop-ms']) }
await Promise.all([playGuests(client, timing), beatHearts(client, Number(values.nodes))])
