import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as RecordLimit from "#src/edges/oauth/RecordLimit.ts"

const records = Records.layer.pipe(Layer.provide(OAuthDatabase.layerAt(":memory:")))

const model = "Interaction"

const idOf = (index: number): string => `id-${index}`

/** Each ends after those before it. */
const keep = (index: number) =>
  Effect.flatMap(Records, ({ put }) =>
    put({ model, id: idOf(index), payload: {}, expiresAt: 1_000 + index, grantId: null, loginId: null })
  )

/** Which of those with these numbers are stored. */
const kept = (count: number) =>
  Effect.flatMap(Records, ({ find }) =>
    Effect.filter(
      Array.from({ length: count }, (_, index) => index),
      (index) => Effect.map(find({ model, id: idOf(index) }), (found) => found !== null)
    )
  )

describe("room for unauthenticated records", () => {
  it.effect("is made by removing the records that end first, a hundredth at a time, at the limit only", () =>
    Effect.gen(function* () {
      const { count, put } = yield* Records
      yield* put({ model: "Client", id: "x", payload: {}, expiresAt: 1, grantId: null, loginId: null })
      const makeRoom = RecordLimit.make(yield* Records, { model, most: 200 })
      for (let index = 0; index < 200; index++) {
        yield* makeRoom
        yield* keep(index)
      }
      assert.strictEqual(yield* count(model), 200)
      for (let index = 200; index < 501; index++) {
        yield* makeRoom
        yield* keep(index)
        assert.isAtMost(yield* count(model), 200)
      }
      const last = Array.from({ length: 199 }, (_, index) => 501 - 199 + index)
      assert.deepStrictEqual(yield* kept(501), last)
      assert.strictEqual(yield* count("Client"), 1)
    }).pipe(Effect.provide(records))
  )

  it.effect("is made at once when there are already too many", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), keep)
      yield* RecordLimit.make(yield* Records, { model, most: 5 })
      assert.deepStrictEqual(yield* kept(20), [16, 17, 18, 19])
    }).pipe(Effect.provide(records))
  )
})
