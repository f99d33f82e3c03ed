/** The findings about payloads on any backend. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { BlobStore } from "#streams/BlobStore.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import { verify } from "#streams/Verify.ts"
import { append, appendPayload, test } from "#test/support/streams/WrittenLog.ts"

const tombstone = { type: Tombstone.type }

/** Erases the payload `input` of a stream, with its tombstone. */
const erase = (id: string) =>
  append(id, `${id}-erased`, { erased: ["input"] }, { ...tombstone, erases: ["input"] })

describe("Verifying payloads", () => {
  test(
    "requires a tombstone for a missing payload, and accepts it only for the named payload",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* appendPayload("a", 200_000)
      if (sealed.content._tag === "Blob") yield* blobs.remove(sealed.content.key)
      const broken = yield* Effect.flip(verify())
      assert.deepInclude(broken, { _tag: "LogBroken", position: "1" })
      assert.match(broken.message, /the payload input is missing and was not erased/)
      yield* append("a", "e2", { erased: ["output"] }, tombstone)
      yield* append("b", "e3", { erased: ["input"] }, tombstone)
      yield* append("a", "e4", { erased: ["input"] })
      assert.deepInclude(yield* Effect.flip(verify()), { position: "1" })
      yield* append("a", "e5", { erased: ["output", "input"] }, tombstone)
      const verified = yield* verify()
      assert.deepInclude(verified, { events: 5, payloads: 0, erasedPayloads: 1 })
    })
  )

  test(
    "detects an altered blob",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* appendPayload("a", 200_000)
      if (sealed.content._tag === "Blob") yield* blobs.put(sealed.content.key, Buffer.from('"ä"'))
      const broken = yield* Effect.flip(verify())
      assert.deepInclude(broken, { _tag: "LogBroken", position: "1" })
      assert.match(broken.message, /the payload input does not match its hash/)
    })
  )

  test(
    "counts erased payloads separately from existing ones",
    Effect.gen(function* () {
      for (const id of ["a", "b", "c", "d"]) yield* appendPayload(id, id < "c" ? 100 : 200_000)
      for (const id of ["a", "c"]) yield* erase(id)
      assert.deepInclude(yield* verify(), { events: 6, payloads: 2, erasedPayloads: 2 })
    })
  )

  test(
    "accepts an erased payload before and after its blob is removed",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* appendPayload("a", 200_000)
      yield* erase("a")
      const verified = yield* verify()
      assert.deepInclude(verified, { payloads: 0, erasedPayloads: 1 })
      if (sealed.content._tag === "Blob") yield* blobs.remove(sealed.content.key)
      assert.deepStrictEqual(yield* verify(), verified)
    })
  )

  test(
    "names the event whose payload record is missing without a tombstone",
    Effect.gen(function* () {
      yield* appendPayload("b", 100)
      yield* appendPayload("a", 100)
      yield* append("a", "e3", {}, { erases: ["input"] })
      const broken = yield* Effect.flip(verify())
      assert.deepInclude(broken, { _tag: "LogBroken", position: "2" })
      assert.match(broken.message, /the payload input is missing and was not erased/)
    })
  )

  test(
    "counts and checks an existing payload that a tombstone names",
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const sealed = yield* appendPayload("a", 200_000)
      yield* append("a", "e2", { erased: ["input"] }, tombstone)
      assert.deepInclude(yield* verify(), { payloads: 1, erasedPayloads: 0 })
      if (sealed.content._tag === "Blob") yield* blobs.put(sealed.content.key, Buffer.from("1"))
      assert.match((yield* Effect.flip(verify())).message, /does not match its hash/)
    })
  )
})
