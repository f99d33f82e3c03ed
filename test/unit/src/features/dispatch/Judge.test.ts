import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { codec } from "#domain/inference-request/Event.ts"
import type { Violation } from "#domain/Outcome.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { judge } from "#src/features/dispatch/Judge.ts"
import * as MemoryBlobStore from "#streams/MemoryBlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { Payloads } from "#streams/Payload.ts"
import { single, succeeded } from "#test/support/TestModels.ts"

const layer = Payloads.layer.pipe(Layer.provide([MemoryEventStore.layer, MemoryBlobStore.layer]))

const job = { requestId: RequestId.make("rq0123456789012345678"), accountId: AccountId.make("acc_test") }

/** The stored part of the violations in an output. */
const kept = Effect.fnUntraced(function* (violations: ReadonlyArray<Violation>) {
  const entry: CatalogEntry = {
    model: single.model,
    runs: single.model.endpoint,
    runInput: (input) => input,
    quantities: (input) => Effect.sync(() => single.quantities(input)),
    delivered: (result) => Effect.sync(() => single.quantities(result.input).maxQuantity),
    countsDelivered: false,
    validateInput: () => [],
    validateOutput: () => violations,
    mediaPointers: () => []
  }
  const { outcome } = yield* judge(yield* Payloads, () => Effect.succeed([]), job, entry, succeeded())
  assert(outcome._tag === "Succeeded")
  return outcome.output.violations
})

const many = (count: number, message: string): ReadonlyArray<Violation> =>
  Array.from({ length: count }, (_, index) => ({ instancePath: `/${index}`.padEnd(8, "x"), message }))

describe("The violations of an output", () => {
  it.effect("are all stored when they are few", () =>
    Effect.gen(function* () {
      const violations = many(3, "must be object")
      assert.deepStrictEqual(yield* kept(violations), violations)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are limited to the first 1,000", () =>
    Effect.gen(function* () {
      const violations = many(1_001, "short")
      assert.deepStrictEqual(yield* kept(violations), violations.slice(0, 1_000))
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    ["ASCII", "m".repeat(1_016)],
    ["characters of three bytes", "\u20ac".repeat(338) + "mm"]
  ] as const)("are limited to 32 KiB of text in all, in %s", ([, message]) =>
    Effect.gen(function* () {
      const violations = many(1_000, message)
      assert.deepStrictEqual(yield* kept(violations), violations.slice(0, 32))
    }).pipe(Effect.provide(layer))
  )

  it.effect("include the first one, however long, and the output stays invalid", () =>
    Effect.gen(function* () {
      const violations = many(2, "m".repeat(40_000))
      assert.deepStrictEqual(yield* kept(violations), violations.slice(0, 1))
    }).pipe(Effect.provide(layer))
  )

  it.effect("fit a message of 1 MB, however JSON escapes their characters", () =>
    Effect.gen(function* () {
      const violations = yield* kept(many(1_000, "\u0001".repeat(24)))
      assert.lengthOf(violations, 1_000)
      const event = codec.encode({ _tag: "OutputRejected", at: 1, attempt: 1, violations })
      assert.isBelow(Buffer.byteLength(JSON.stringify(event)), 512 * 1_024)
    }).pipe(Effect.provide(layer))
  )
})
