/** The jobs that a worker asks for. */
import type { Worker } from "../workers/WorkerAuthentication.ts"

export interface JobFilter {
  readonly worker: Worker
  /** Endpoints of models, within those that its key allows; `null` for all of these. */
  readonly models: ReadonlySet<string> | null
}

/** Whether the worker accepts a job of the model. */
export const isFor = ({ models, worker }: JobFilter, model: string): boolean =>
  (models === null || models.has(model)) && worker.allows(model) && worker.isAdmitted()

/** The same for all calls of one worker, and of workers like it. */
export const nameOf = ({ models, worker }: JobFilter): string =>
  [worker.keyId, ...(models === null ? ["*"] : models)].join(" ")
