import type { FastifyInstance } from 'fastify'
import type { AdmissionContext, Admitter } from './admitter.ts'
import { mutateMigrationAdmitter, mutateVmAdmitter, mutateVmiAdmitter } from './mutating/admit.ts'
import { evictPod } from './pod-eviction/admit.ts'
import { reviewRequest, reviewResponse } from './review.ts'
import { shaped } from './schema/admit.ts'
import { admitStatus, createVmi, replicaSet, updateVmi, validateVmAdmitter } from './validating/admit.ts'
import { createMigration, updateMigration } from './validating/migration.ts'

/** Paths of the webhooks; the chart's webhook configurations point here. */
export const admitters: Readonly<Record<string, Admitter>> = {
  '/virtualmachines-mutate': shaped('VirtualMachine', mutateVmAdmitter),
  '/virtualmachineinstances-mutate': shaped('VirtualMachineInstance', mutateVmiAdmitter),
  '/migration-mutate-create': shaped('VirtualMachineInstanceMigration', mutateMigrationAdmitter),
  '/virtualmachineinstances-validate-create': shaped('VirtualMachineInstance', createVmi),
  '/virtualmachineinstances-validate-update': shaped('VirtualMachineInstance', updateVmi),
  '/virtualmachines-validate': shaped('VirtualMachine', validateVmAdmitter),
  '/virtualmachinereplicaset-validate': shaped('VirtualMachineInstanceReplicaSet', replicaSet),
  '/migration-validate-create': shaped('VirtualMachineInstanceMigration', createMigration),
  '/migration-validate-update': shaped('VirtualMachineInstanceMigration', updateMigration),
  '/status-validate': admitStatus,
  '/pod-eviction-validate': evictPod,
  '/launcher-eviction-validate': evictPod,
}

/** Old and new object of an update, each as large as the API server takes them. */
const bodyLimit = 16 * 1024 * 1024

/** Admission: the API server alone is to ask, and nobody else gets anything from asking. */
export function webhookRoutes(app: FastifyInstance, context: () => AdmissionContext): void {
  for (const [path, admit] of Object.entries(admitters)) {
    app.post(path, { bodyLimit }, async (request) => {
      const review = reviewRequest(request.body)
      return reviewResponse(review, await admit(review, context()))
    })
  }
}
