/** Requests for a provider that cannot be reached. It is probed while requests wait for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { ConnectionError, ProviderOutcome } from "#domain/Outcome.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Fleet from "#test/support/src/features/dispatch/Fleet.ts"

const model = Fleet.modelAt("test/away", [{ name: "away" }])

const refused: ProviderOutcome = {
  _tag: "Unreachable",
  reason: "connection_refused",
  message: "The provider refuses connections."
}

/** A node whose provider answers probes as `state` says. */
const nodeWith = (state: { fault: ConnectionError | null; probes: number }) =>
  Fleet.layer([model], {
    providers: (provider): ReadonlyArray<Provider> => [
      provider,
      {
        ...provider,
        adapter: "http",
        reach: () =>
          Effect.sync(() => {
            state.probes++
            return state.fault
          })
      }
    ]
  })

/** A request that finds out that the provider is away, and is cancelled, so that none waits. */
const findAway = Effect.gen(function* () {
  const id = yield* Facts.submit({ model })
  yield* (yield* (yield* TestProvider).next).ends(refused)
  yield* Facts.untilType(id, "RequestRequeued")
  yield* Facts.cancel(id, model)
  yield* Facts.untilEnd(id)
})

const runsNext = Effect.fnUntraced(function* (id: string) {
  const run = yield* (yield* TestProvider).next
  assert.strictEqual(run.job.requestId, id)
  yield* run.ends(succeeded())
  yield* Facts.untilEnd(run.job.requestId)
})

describe("A request that finds a provider away", () => {
  it.effect(
    "runs after the next probe, also if the read model showed its requeue before anyone heard of it",
    () => {
      const state = { fault: null, probes: 0 }
      return Effect.gen(function* () {
        const faults = yield* AppendFaults
        const projections = yield* Projections
        const id = yield* Facts.submit({ model })
        const run = yield* (yield* TestProvider).next
        const release = faults.holdFollowers()
        yield* run.ends(refused)
        yield* Facts.untilType(id, "RequestRequeued")
        assert.isTrue(yield* projections.caughtUp(DueWorkProjection.projection.name))
        yield* Effect.yieldNow
        yield* release
        yield* TestClock.adjust("1 second")
        yield* runsNext(id)
      }).pipe(Effect.provide(nodeWith(state)))
    }
  )
})

describe("A request for a provider that was away when the last one waited", () => {
  it.effect("runs after the next probe, if it comes before that is due", () => {
    const state = { fault: null, probes: 0 }
    return Effect.gen(function* () {
      yield* findAway
      const id = yield* Facts.submit({ model })
      yield* TestClock.adjust("1 second")
      yield* runsNext(id)
      assert.strictEqual(state.probes, 1)
    }).pipe(Effect.provide(nodeWith(state)))
  })

  it.effect("has the provider probed at once, if it comes later", () => {
    const state = { fault: null, probes: 0 }
    return Effect.gen(function* () {
      yield* findAway
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(state.probes, 0)
      yield* runsNext(yield* Facts.submit({ model }))
    }).pipe(Effect.provide(nodeWith(state)))
  })

  it.effect("has the provider probed until it is there", () => {
    const state: { fault: ConnectionError | null; probes: number } = {
      fault: "connection_refused",
      probes: 0
    }
    return Effect.gen(function* () {
      yield* findAway
      yield* TestClock.adjust("30 seconds")
      const id = yield* Facts.submit({ model })
      yield* TestClock.adjust("10 seconds")
      assert.isAbove(state.probes, 1)
      state.fault = null
      yield* TestClock.adjust("5 seconds")
      yield* runsNext(id)
    }).pipe(Effect.provide(nodeWith(state)))
  })
})
