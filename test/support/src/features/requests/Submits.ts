/** Helpers for tests of submits: models, nodes, and events on the log. */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"

export const limited = testModel("test/limited", { maxQueued: 3 })
export const models = [single, limited]
/** Requests wait for ever. */
export const waiting = TestNode.layer({ models, dispatches: false })
export const layer = TestNode.layer({ models })

export const submit = Effect.fnUntraced(function* (options?: Parameters<typeof Facts.submission>[0]) {
  const requests = yield* Requests
  return yield* requests.submit(Facts.submission(options))
})

export const keyed = (key: string, requestHash = "hash of the request") => ({
  idempotency: { key, requestHash }
})

/** The types of all events except those of accounts. */
export const logged = Effect.gen(function* () {
  const reader = yield* EventReader
  const all = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  return all.filter(({ stream }) => !stream.startsWith("Account-")).map(({ type }) => type)
})

/** Waits until the work queue has reached the end of the log. */
export const settled = Effect.gen(function* () {
  const projections = yield* Projections
  const { head } = yield* EventReader
  assert.isTrue(yield* projections.waitFor(yield* head, { projection: DueWorkProjection.projection.name }))
})
