import type { FastifyInstance } from 'fastify'
import type { AdmissionContext, Admitter } from './admitter.ts'
import { mutateMigrationAdmitter, mutateVmAdmitter, mutateVmiAdmitter } from './mutating/admit.ts'
import { evictPod } from './pod-eviction/admit.ts'
import { reviewRequest, reviewResponse } from './review.ts'
import { admitStatus, createVmi, replicaSet, updateVmi, validateVmAdmitter } from './validating/admit.ts'
import { createMigration, updateMigration } from './validating/migration.ts'

/** Paths of the webhooks; the chart's webhook configurations point here. */
export const admitters: Readonly<Record<string, Admitter>> = {
  '/virtualmachines-mutate': mutateVmAdmitter,
  '/virtualmachineinstances-mutate': mutateVmiAdmitter,
  '/migration-mutate-create': mutateMigrationAdmitter,
  '/virtualmachineinstances-validate-create': createVmi,
  '/virtualmachineinstances-validate-update': updateVmi,
  '/virtualmachines-validate': validateVmAdmitter,
  '/virtualmachinereplicaset-validate': replicaSet,
  '/migration-validate-create': createMigration,
  '/migration-validate-update': updateMigration,
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
