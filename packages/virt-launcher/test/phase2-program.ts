// The launcher's part of a guest's network as a program of its own, for tests that have a pod's network and no pod:
// `phase2-program.ts VMI-AS-JSON PRIVATE-FOLDER` prints the plan and serves until it is killed.
import type { VirtualMachineInstance } from '@kubevirt-ts/api'
import { createLogger } from '@kubevirt-ts/service'
import { networkPhase2 } from '../src/network/phase2.ts'

const [, , vmi = '{}', privateFolder = ''] = process.argv
const log = createLogger({ component: 'phase2-program', destination: process.stderr })
const plan = await networkPhase2(log, privateFolder).prepare(JSON.parse(vmi) as VirtualMachineInstance)
console.log(JSON.stringify(Object.fromEntries(plan)))
