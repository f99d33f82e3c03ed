/** `POST /workers/claim`: 200 with a job, or 204 after the wait. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Lease } from "#src/features/providers/pull/Lease.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as WorkerBodies from "./WorkerBodies.ts"
import { IsStopping, Stopping } from "#src/edges/http/Stopping.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as WorkerCall from "./WorkerCall.ts"

export interface ClaimCall extends WorkerCall.WorkerCall {
  readonly request: HttpServerRequest
}

/** A job is claimed for a worker that waits: of one that does not wait at all nobody would know. */
const shortestWaitMs = 500

export const make = Effect.gen(function* () {
  const calls = yield* WorkerCalls
  const stopping = yield* Stopping
  const isStopping = yield* IsStopping

  /** What the worker's connection does not take was never the worker's. */
  const unlessSent = (request: HttpServerRequest, lease: Lease): boolean => {
    const response = NodeHttpServerRequest.toServerResponse(request)
    if (response.destroyed) return false
    response.once("close", () => {
      if (!response.writableFinished) calls.giveBack(lease)
    })
    return true
  }

  return Effect.fnUntraced(function* (call: ClaimCall) {
    const { models, waitMs } = yield* WorkerCall.read(call, WorkerBodies.parseClaim)
    if (isStopping()) return yield* Refusal.stopping
    const lease = yield* Effect.raceFirst(
      calls.claim({ worker: call.worker, models, waitMs: Math.max(waitMs, shortestWaitMs) }),
      Effect.andThen(stopping, Refusal.stopping)
    )
    if (lease === null) return Answer.empty(204, Answer.noHeaders)
    if (!unlessSent(call.request, lease)) calls.giveBack(lease)
    return Answer.json(200, WorkerView.job(lease, yield* Clock.currentTimeMillis))
  })
})
