/** A node's reaction to requests that another node has ended or erased. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Command } from "#domain/inference-request/Command.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import { claimants, requestOf, rest, start, wide } from "#test/support/src/features/dispatch/Cluster.ts"

const live = ["a", "b"]

/** What another node learns of the run or of the time. */
const ends = {
  expires: { _tag: "Expire", at: 60_000 },
  "is found lost": { _tag: "SweepRetry", at: 5_000, attempt: 1, reason: "lost" },
  "is found to have failed": {
    _tag: "RecordOutcome",
    at: 5_000,
    attempt: 1,
    startedAt: null,
    outcome: { _tag: "ProviderError", message: "no", retryable: false }
  },
  "is requeued": {
    _tag: "RecordOutcome",
    at: 5_000,
    attempt: 1,
    startedAt: null,
    outcome: { _tag: "Lost", message: "gone" }
  }
} as const satisfies Record<string, Command>

const execute = (id: RequestId, command: Command) =>
  Effect.flatMap(RequestActors, (actors) => Effect.andThen(actors.refresh(id), actors.execute(id, command)))

/** A run at node `a`. */
const running = Effect.gen(function* () {
  const a = yield* start("a")
  const b = yield* start("b")
  const deadlines = { startTimeoutMs: null, cancelAfterMs: 60_000 }
  const id = yield* b.on(requestOf("a", { model: wide, live, deadlines }))
  const run = yield* (yield* TestProvider).next
  assert.deepInclude(yield* Facts.untilType(id, "DispatchStarted"), { node: "a" })
  return { a, b, id, run }
})

describe("A run", () => {
  for (const [what, command] of Object.entries(ends)) {
    it.effect(`is stopped when on another node its request ${what}`, () =>
      Effect.gen(function* () {
        const { b, id, run } = yield* running
        yield* b.on(execute(id, command))
        yield* run.stopRequested
      }).pipe(Effect.provide(TestNode.storeLayer))
    )
  }

  it.effect("is stopped when its request is cancelled through another node", () =>
    Effect.gen(function* () {
      const { b, id, run } = yield* running
      yield* Effect.forkScoped(b.on(Facts.cancel(id, wide)))
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      assert.strictEqual(Facts.terminal(yield* Facts.untilEnd(id))[0]?._tag, "RequestCancelled")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("continues when an earlier run has ended", () =>
    Effect.gen(function* () {
      const { a, b, id, run } = yield* running
      yield* b.on(execute(id, ends["is requeued"]))
      yield* run.stopRequested
      // Node `a` only remembers that its own run is in progress.
      yield* TestClock.adjust("5250 millis")
      const second = yield* (yield* TestProvider).next
      assert.deepStrictEqual(claimants(yield* Facts.events(id)), ["a", "a"])
      assert.strictEqual(second.job.attempt, 2)
      const stops = yield* Effect.forkChild(second.stopRequested)
      for (const node of [a, b]) yield* node.on(Effect.flatMap(Runs, (runs) => runs.stop(id, 1)))
      yield* rest
      assert.isUndefined(stops.pollUnsafe())
      for (const node of [a, b]) yield* node.on(Effect.flatMap(Runs, (runs) => runs.stop(id, 2)))
      yield* second.stopRequested
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is not stopped by an unreadable event, and misses none after it", () =>
    Effect.gen(function* () {
      const { b, id, run } = yield* running
      const broken = yield* b.on(Facts.submit({ model: wide }))
      yield* Effect.flatMap(TestProvider, ({ next }) => next)
      yield* b.on(execute(broken, ends["is found to have failed"]))
      yield* Facts.makeUnreadable(broken)
      yield* b.on(
        Effect.flatMap(EventStore, (store) =>
          store.append({
            stream: StreamName.make(InferenceRequest.aggregate.category, broken),
            expected: ExpectedVersion.Any,
            events: [eventData("erased", "PayloadsErased")]
          })
        )
      )
      yield* b.on(execute(id, ends.expires))
      yield* run.stopRequested
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("The text of a payload", () => {
  it.effect("is dropped by every node when one erases it", () =>
    Effect.gen(function* () {
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      const a = yield* start("a")
      const b = yield* start("b")
      const id = yield* a.on(Facts.submit({ model: wide, input: { value: "jane" } }))
      yield* Facts.untilEnd(id)
      const { request } = yield* b.on(Facts.snapshot(id))
      const stream = StreamName.make(InferenceRequest.aggregate.category, id)
      const { input } = request.submitted.payloads ?? assert.fail()
      const open = Effect.result(
        Effect.flatMap(Payloads, (payloads) => payloads.open(stream, "input", input))
      )
      for (const node of [a, b]) assert.isTrue(Result.isSuccess(yield* node.on(open)))
      yield* a.on(Facts.snapshot(id))
      yield* a.on(Effect.flatMap(Eraser, (eraser) => eraser.erase(id, "requested")))
      yield* rest
      for (const node of [a, b]) assert.isTrue(Result.isFailure(yield* node.on(open)))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
