/** What a worker comes for. */
import type { Worker } from "../workers/WorkerAuthentication.ts"

export interface JobFilter {
  readonly worker: Worker
  /** Endpoints of the models that it runs: of those that its key is for. `null` is all of these. */
  readonly models: ReadonlySet<string> | null
}

/** Whether its worker can have a job of the model. */
export const isFor = ({ models, worker }: JobFilter, model: string): boolean =>
  (models === null || models.has(model)) && worker.allows(model) && worker.isAdmitted()

/** The same for calls of one worker, and of those like it. */
export const nameOf = ({ models, worker }: JobFilter): string =>
  [worker.keyId, ...(models === null ? ["*"] : models)].join(" ")
