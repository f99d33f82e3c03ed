/** Nothing changes unrecorded, and a crash between the record and its end leaves an action with an unknown result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as OperatorAction from "#domain/operator-action/OperatorAction.ts"
import { OperatorActionActors } from "#src/features/operators/OperatorActors.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { actAs, type Operator } from "#src/features/operators/Operator.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"

const layer = OperatorActions.layer.pipe(
  Layer.provide(OperatorActionActors.layer),
  Layer.provideMerge(AppendFaults.layer),
  Layer.provide(MemoryEventStore.layer),
  Layer.provide(IdGenerator.layer)
)

const ada: Operator = { id: "op_0123456789abcdef", name: "ada", role: "owner" }

const action = {
  action: "revokeKey",
  targets: { keyId: "key_1" },
  made: () => ({}),
  isRefusal: (error: unknown) => error === "refused"
}

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(OperatorActions, ({ recorded }) => recorded(action, effect)).pipe(
    actAs({ operator: ada, callId: "call_1" })
  )

/** The events of the log, decoded. */
const events = Effect.flatMap(EventReader, (reader) =>
  Effect.map(Stream.runCollect(reader.readAll(GlobalPosition.beginning)), (all) =>
    all.map(OperatorAction.aggregate.codec.decode)
  )
)

describe("An action of an operator", () => {
  it.effect("is on the log before its effect, and its result after it", () =>
    Effect.gen(function* () {
      const before = yield* run(events)
      assert.deepStrictEqual(
        before.map(({ _tag }) => _tag),
        ["OperatorActionStarted"]
      )
      assert.deepInclude(before[0], { operatorId: ada.id, operatorName: "ada", callId: "call_1" })
      const [, ended] = yield* events
      assert.deepInclude(ended, { _tag: "OperatorActionEnded", result: "done", code: null })
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not take place when it cannot be recorded", () =>
    Effect.gen(function* () {
      ;(yield* AppendFaults.AppendFaults).fail("OperatorActionStarted", 1, "refused")
      let hasRun = false
      const failed = yield* Effect.flip(
        run(
          Effect.sync(() => {
            hasRun = true
          })
        )
      )
      assert.strictEqual(failed._tag, "EventStoreError")
      assert.isFalse(hasRun)
      assert.deepStrictEqual(yield* events, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("returns its result when only its end cannot be recorded, as after a crash", () =>
    Effect.gen(function* () {
      ;(yield* AppendFaults.AppendFaults).fail("OperatorActionEnded", 1, "refused")
      assert.strictEqual(yield* run(Effect.succeed("secret")), "secret")
      assert.deepStrictEqual(
        (yield* events).map(({ _tag }) => _tag),
        ["OperatorActionStarted"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is refused or has failed, with the code of the error", () =>
    Effect.gen(function* () {
      yield* Effect.exit(run(Effect.fail("refused")))
      yield* Effect.exit(run(Effect.fail({ _tag: "AdministrationFailed" })))
      yield* Effect.exit(run(Effect.die(new Error("bug"))))
      const ends = (yield* events).flatMap((event) =>
        event._tag === "OperatorActionEnded" ? [[event.result, event.code]] : []
      )
      assert.deepStrictEqual(ends, [
        ["refused", "Unexpected"],
        ["failed", "AdministrationFailed"],
        ["failed", "Unexpected"]
      ])
    }).pipe(Effect.provide(layer))
  )
})
