import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import { evolve, initial, isTerminal } from "#domain/inference-request/State.ts"
import * as Status from "#domain/inference-request/Status.ts"
import type { Told } from "#domain/inference-request/Told.ts"
import { units, zero } from "#domain/Money.ts"
import { History } from "#projections/history/History.ts"
import * as FromHistory from "#src/requests/FromHistory.ts"
import * as ReadSide from "#test/projections/ReadSide.ts"
import * as Log from "#test/projections/RequestLog.ts"

const { alice, echo, t0 } = Log

const begun = [Log.dispatched(1), Log.started(1, t0 + 100)]
const output = { hash: "hash", size: 2 }

/** What becomes of a request after it was submitted. */
const stories: Readonly<Record<string, ReadonlyArray<Event>>> = {
  waits: [],
  runs: begun,
  "waits for its second run": [...begun, Log.requeued(1, t0 + 500)],
  "has an output whose files are being stored": [
    Log.dispatched(1),
    {
      _tag: "OutputReceived",
      at: t0 + 200,
      attempt: 1,
      delivered: units(1),
      media: [{ path: "/image", fileId: "file", thumbnailId: "thumbnail" }],
      payloads: { output }
    }
  ],
  "was charged": [...begun, Log.completed(1, t0 + 300)],
  "was charged for its second run": [
    ...begun,
    Log.requeued(1, t0 + 200),
    Log.dispatched(2, t0 + 200),
    Log.started(2, t0 + 250),
    Log.completed(2, t0 + 300)
  ],
  "failed at its provider": [
    ...begun,
    {
      _tag: "RequestCompleted",
      at: t0 + 300,
      attempt: 1,
      billing: { status: "failed", amount: zero, units: units(1) },
      error: "out of memory"
    }
  ],
  failed: [
    ...begun,
    { _tag: "RequestFailed", at: t0 + 300, attempt: 1, reason: "refused", message: "not today" }
  ],
  "was cancelled": [{ _tag: "RequestCancelled", at: t0 + 300, reason: "requested" }],
  expired: [{ _tag: "RequestCancelled", at: t0 + 300, reason: "expired" }]
}

/** What clients are told of it, whatever it was made from. */
const told = (request: Told) => {
  const { phase, startedAt, submitted } = request
  const { accountId, at, metadata, model } = submitted
  return {
    status: Status.status(request),
    outcome: Status.outcome(request),
    billingStatus: Status.billingStatus(request),
    cost: Status.cost(request),
    failure: Status.failure(request),
    endedAt: isTerminal(phase) ? phase.at : null,
    inferenceMs: phase._tag === "Completed" ? phase.inferenceMs : null,
    startedAt,
    submitted: { accountId, at, metadata, model }
  }
}

describe("A request from the history", () => {
  for (const [story, events] of Object.entries(stories)) {
    it.live(`that ${story} is told of as from its events`, () =>
      Effect.gen(function* () {
        const submitted = Log.submitted(alice, echo, t0, { team: "blue" })
        yield* Log.append(1, submitted, ...events)
        yield* ReadSide.settle("history")
        const item = yield* (yield* History).find(Log.requestId(1))
        const state = [submitted, ...events].reduce(evolve, initial)
        if (item === null || state._tag !== "Request") return assert.fail("there is no request")
        assert.deepStrictEqual(told(FromHistory.snapshot(item).request), told(state))
        // No version of a stream, in any backend.
        assert.match(FromHistory.snapshot(item).version, /^history-/)
      }).pipe(Effect.provide(ReadSide.layer))
    )
  }
})
