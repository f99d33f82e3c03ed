/** Moves requests through their states with the dispatcher's commands, at times that the test chooses. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Money from "#domain/Money.ts"
import type { JudgedOutcome, Violation } from "#domain/Outcome.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"

export const submittedAt = Effect.fnUntraced(function* (id: RequestId) {
  const { state } = yield* (yield* RequestActors).current(id)
  return state._tag === "Request" ? state.submitted.at : yield* Effect.die("No such request")
})

/** Starts the run `delayMs` after the request was accepted. */
export const start = Effect.fnUntraced(function* (id: RequestId, delayMs = 10) {
  const actors = yield* RequestActors
  const at = (yield* submittedAt(id)) + delayMs
  yield* actors.execute(id, { _tag: "Dispatch", at, provider: "test", node: "test" })
  yield* actors.execute(id, { _tag: "RecordStarted", at, attempt: 1 })
})

export const log = Effect.fnUntraced(function* (id: RequestId, ...logs: ReadonlyArray<string>) {
  const actors = yield* RequestActors
  const at = (yield* submittedAt(id)) + 20
  yield* actors.execute(id, { _tag: "RecordProgress", at, attempt: 1, fraction: null, logs })
})

export const progress = Effect.fnUntraced(function* (id: RequestId, fraction: number) {
  const actors = yield* RequestActors
  const at = (yield* submittedAt(id)) + 30
  yield* actors.execute(id, { _tag: "RecordProgress", at, attempt: 1, fraction, logs: [] })
})

/** Ends the started run `runMs` after its start. */
export const end = Effect.fnUntraced(function* (id: RequestId, outcome: JudgedOutcome, runMs = 1_500) {
  const actors = yield* RequestActors
  const { state } = yield* actors.current(id)
  const startedAt = state._tag === "Request" ? (state.startedAt ?? state.submitted.at) : 0
  yield* actors.execute(id, {
    _tag: "RecordOutcome",
    at: startedAt + runMs,
    attempt: 1,
    startedAt: null,
    outcome
  })
})

/** Ends the started run with an output that breaks the schema at `violations`. */
export const deliver = Effect.fnUntraced(function* (
  id: RequestId,
  output: Json,
  violations: ReadonlyArray<Violation> = [],
  delivered = Money.units(1),
  text = JSON.stringify(output)
) {
  const actors = yield* RequestActors
  const payloads = yield* Payload.Payloads
  const stream = StreamName.make(InferenceRequest.aggregate.category, id)
  const sealed = yield* payloads.seal({ owner: "test", stream, name: "output", text })
  const { state } = yield* actors.current(id)
  const startedAt = state._tag === "Request" ? (state.startedAt ?? 0) : 0
  const outcome: JudgedOutcome = {
    _tag: "Succeeded",
    output: { ref: Payload.refOf(sealed), violations },
    delivered
  }
  const at = startedAt + 1_500
  yield* actors.execute(id, { _tag: "RecordOutcome", at, attempt: 1, startedAt: null, outcome }, [sealed])
})
