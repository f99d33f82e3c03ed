import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Event } from "#domain/inference-request/Event.ts"
import { evolve, initial, isTerminal } from "#domain/inference-request/State.ts"
import * as Status from "#domain/inference-request/Status.ts"
import type { VisibleRequest } from "#domain/inference-request/VisibleRequest.ts"
import { units, zero } from "#domain/Money.ts"
import { History } from "#projections/history/History.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as FromHistory from "#src/features/requests/FromHistory.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { life, play } from "#test/support/domain/inference-request/Lives.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, echo, t0 } = Log

const begun = [Log.dispatched(1), Log.started(1, t0 + 100)]
const output = { hash: "hash", size: 2 }

/** The further events of a submitted request. */
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
  "had an output that breaks its schema": [
    ...begun,
    { _tag: "OutputReceived", at: t0 + 300, attempt: 1, delivered: units(1), payloads: { output } },
    {
      _tag: "OutputRejected",
      at: t0 + 300,
      attempt: 1,
      violations: [{ instancePath: "/value", message: "must be string" }]
    },
    {
      _tag: "RequestCompleted",
      at: t0 + 300,
      attempt: 1,
      billing: { status: "failed", amount: zero, units: units(0) },
      error: null
    }
  ],
  failed: [
    ...begun,
    { _tag: "RequestFailed", at: t0 + 300, attempt: 1, reason: "refused", message: "not today" }
  ],
  "was cancelled": [{ _tag: "RequestCancelled", at: t0 + 300, reason: "requested" }],
  expired: [{ _tag: "RequestCancelled", at: t0 + 300, reason: "expired" }]
}

const urls = { queueUrl: "https://queue.example", mediaUrl: "https://media.example", keptMs: 1_000 }

/** What clients see of it except payloads, from either source. */
const told = (request: VisibleRequest) => {
  const id = Log.requestId(1)
  // The ids of its files are not valid in URLs.
  const snapshot = { id, request: { ...request, media: [] }, version: ExpectedVersion.trustedVersion("1") }
  return {
    result: ResultView.retrieved(urls, snapshot, { input: null, output: null }),
    media: request.media,
    failure: Status.failure(request),
    endedAt: isTerminal(request.phase) ? request.phase.at : null,
    accountId: request.submitted.accountId
  }
}

const same = Effect.fnUntraced(function* (number: number, events: ReadonlyArray<Event>) {
  const item = yield* (yield* History).find(Log.requestId(number))
  const state = events.reduce(evolve, initial)
  if (item === null || state._tag !== "Request") return assert.fail("there is no request")
  assert.deepStrictEqual(told(FromHistory.snapshot(item).request), told(state))
  return FromHistory.snapshot(item)
})

describe("A request read from the history", () => {
  for (const [story, events] of Object.entries(stories)) {
    it.live(`that ${story} equals the state from its events`, () =>
      Effect.gen(function* () {
        const submitted = Log.submitted(alice, echo, t0, { team: "blue" })
        yield* Log.append(1, submitted, ...events)
        yield* ReadSide.settle("history")
        const { version } = yield* same(1, [submitted, ...events])
        // Not a version of a stream in any backend.
        assert.match(version, /^history-/)
      }).pipe(Effect.provide(ReadSide.layer))
    )
  }

  it("equals the state from its events for random lives; a failure prints the seed", () =>
    fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 300, maxLength: 300 }), (lives) =>
        Effect.gen(function* () {
          const logs = lives.map((life) => play(life).log)
          for (const [number, [submitted, ...others]] of logs.entries()) {
            if (submitted !== undefined) yield* Log.append(number, submitted, ...others)
          }
          yield* ReadSide.settle("history")
          for (const [number, log] of logs.entries()) yield* same(number, log)
        }).pipe(Effect.provide(ReadSide.layer), Effect.runPromise)
      ),
      { numRuns: 1, endOnFailure: true }
    ))

  it.live("has another version once its payloads are erased", () =>
    Effect.gen(function* () {
      const events = [Log.submitted(alice, echo, t0), ...begun, Log.completed(1, t0 + 300)] as const
      yield* Log.append(1, ...events)
      yield* ReadSide.settle("history")
      const { version } = yield* same(1, events)
      const erased: Event = {
        _tag: "PayloadsErased",
        at: t0 + 900,
        reason: "expired",
        erased: ["input"],
        hasFiles: false
      }
      yield* Log.append(1, erased)
      yield* ReadSide.settle("history")
      const later = yield* same(1, [...events, erased])
      assert.notStrictEqual(later.version, version)
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
