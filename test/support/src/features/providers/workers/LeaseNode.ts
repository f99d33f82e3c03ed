/** A node whose workers fetch jobs and report on them, without HTTP. Uses the test clock. */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { AccountId, type RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import type { Job, RunControl } from "#src/features/providers/Provider.ts"
import { WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import type { Progress } from "#src/features/providers/workers/LeasesElsewhere.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as StoppedWithin from "#test/support/StoppedWithin.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { pulled } from "./WorkerServer.ts"

export const model = pulled("test/pulled")
export const brief = pulled("test/brief", 10)
export const hasty = pulled("test/hasty", 10, 5)
export const models = [model, brief, hasty, testModel("test/other")]
export const start = (name: string) => TestNode.start({ name, models, pulls: true })

export const succeeded: ProviderOutcome = { _tag: "Succeeded", output: { value: "out" }, delivered: null }
const silence: Progress = { fraction: null, logs: [] }

/** A worker with a new key for the models, as the node knows it. */
export const workerOf = Effect.fnUntraced(function* (models: ReadonlyArray<string> | null) {
  const modelEndpoints = models?.map((name) => ModelEndpoint.make(name)) ?? null
  const key = yield* (yield* WorkerKeys).issue({ name: "worker", modelEndpoints, expiresAt: null })
  return yield* recognize(`Key ${ApiKey.format(key)}`)
})

export const worker = workerOf(null)

const recognize = (authorization: string) =>
  Effect.flatMap(WorkerAuthentication, ({ authenticate }) => authenticate(authorization))

export type Worker = Effect.Success<typeof worker>

export const endpoint = model.model.endpoint

export const wait = (worker: Worker, models: ReadonlyArray<string> | null = null) =>
  Effect.forkChild(
    Effect.flatMap(WorkerCalls, (calls) => calls.claim({ worker, models, waitMs: 60_000 })),
    { startImmediately: true }
  )

/** Waits at the node, and the node knows. */
export const claim = Effect.fnUntraced(function* (
  worker: Worker,
  models: ReadonlyArray<string> | null = null
) {
  const claiming = yield* wait(worker, models)
  return Effect.map(Fiber.join(claiming), (job) => job ?? assert.fail("There was no job"))
})

export const heartbeat = (worker: Worker, leaseId: string, progress = silence) =>
  Effect.flatMap(WorkerCalls, (calls) => calls.heartbeat({ worker, leaseId }, progress))
export const end = (worker: Worker, leaseId: string, outcome: ProviderOutcome = succeeded) =>
  Effect.flatMap(WorkerCalls, (calls) => calls.end({ worker, leaseId }, outcome))

/** A job of a worker of the node, whose start is on the log. */
export const begin = Effect.fnUntraced(function* (of = model) {
  const me = yield* worker
  const job = yield* claim(me)
  const id = yield* Facts.submit({ model: of })
  const lease = yield* job
  const started = yield* Effect.forkChild(Facts.untilType(id, "RequestStarted"))
  yield* TestClock.adjust("20 millis")
  yield* Fiber.join(started)
  return { me, id, leaseId: lease.id }
})

/** The answer to the worker. */
export const told = <E extends { readonly _tag: string }, R>(call: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.result(call), (result) => (Result.isFailure(result) ? result.failure._tag : "Ok"))

/** A job without a dispatcher. */
export const jobOf = (requestId: RequestId): Job => ({
  requestId,
  accountId: AccountId.make("acc_default"),
  submittedAt: 0,
  model: model.model,
  binding: model.model.providers[0],
  input: {},
  attempt: 1
})

export const control: RunControl = {
  accepted: () => Effect.void,
  started: Effect.void,
  start: () => undefined,
  chunk: () => {},
  restartChunks: () => {},
  startWithinMs: Effect.succeed(1_000),
  progress: () => Effect.void,
  note: () => {},
  stopRequested: Effect.never,
  isStoppedWithin: StoppedWithin.of(Effect.never)
}

export const completions = Effect.fnUntraced(function* (id: RequestId) {
  return Facts.ofType(yield* Facts.events(id), "RequestCompleted").map(({ attempt }) => attempt)
})
