import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId, FileId } from "#domain/Ids.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as Payload from "#streams/Payload.ts"
import { verify } from "#streams/Verify.ts"
import { settle } from "#test/support/projections/ReadSide.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as OutputChunks from "#test/support/OutputChunks.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Erased from "#test/support/src/features/retention/Erased.ts"

const layer = TestNode.layer({ dispatches: false })

const balances = Effect.andThen(
  settle("ledger"),
  Effect.flatMap(Ledger, ({ balance }) => balance(AccountId.make("acc_default")))
)

/** The remaining parts of a file. */
const fileState = (fileId: string) =>
  Effect.flatMap(MediaStore, (media) => media.find(FileId.make(fileId))).pipe(
    Effect.map((found) => (found === null ? "none" : "there")),
    Effect.catchTag("MediaGone", () => Effect.succeed("gone"))
  )

const blobSize = Effect.fnUntraced(function* (id: Parameters<typeof Erased.streamOf>[0], name: string) {
  const { request } = yield* Facts.snapshot(id)
  const ref = name === "input" ? request.submitted.payloads.input : request.rawOutput
  const owner = request.submitted.accountId
  return yield* (yield* BlobStore).size(`payloads/${owner}/${Erased.streamOf(id)}/${name}-${ref?.hash}`)
})

describe("Erasing a request", () => {
  for (const [size, input] of [
    ["small", Erased.small],
    ["large", Erased.large]
  ] as const) {
    it.effect(`leaves readers no text of ${size} payloads and files, and keeps log and ledger valid`, () =>
      Effect.gen(function* () {
        const { fileId, id, thumbnailId } = yield* Erased.completed(input)
        const before = yield* Facts.snapshot(id)
        assert.include(yield* Erased.readable(id, before), Erased.secret)
        const money = yield* balances
        const whole = yield* verify()
        assert.strictEqual(whole.erasedPayloads, 0)

        assert.isTrue(yield* (yield* Eraser).erase(id, "requested"))

        assert.notInclude(yield* Erased.readable(id, before), Erased.secret)
        assert.strictEqual(yield* fileState(fileId), "gone")
        assert.strictEqual(yield* fileState(thumbnailId), "gone")
        assert.isNull(yield* blobSize(id, "input"))
        assert.isNull(yield* blobSize(id, "output"))
        assert.deepInclude(yield* verify(), { payloads: whole.payloads - 2, erasedPayloads: 2 })
        assert.deepStrictEqual(yield* balances, money)
        assert.deepStrictEqual((yield* Facts.types(id)).slice(-2), ["PayloadsErased", "ErasedFilesRemoved"])
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("twice, or twice at once, equals once", () =>
    Effect.gen(function* () {
      const { erase } = yield* Eraser
      const { id } = yield* Erased.completed(Erased.large)
      const did = yield* Effect.all([erase(id, "requested"), erase(id, "expired")], { concurrency: 2 })
      assert.sameMembers(did, [true, false])
      assert.isFalse(yield* erase(id, "requested"))
      const types = yield* Facts.types(id)
      assert.lengthOf(
        types.filter((type) => type.includes("Erased")),
        2
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has not ended is rejected, without any change", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ input: Erased.small })
      const error = yield* Effect.flip((yield* Eraser).erase(id, "requested"))
      assert.strictEqual(error._tag, "RequestNotEnded")
      assert.include(yield* Erased.readable(id, yield* Facts.snapshot(id)), Erased.secret)
    }).pipe(Effect.provide(layer))
  )

  it.effect("whose files cannot be removed is completed by a repeat; other parts are removed at once", () => {
    const blobs = Erased.failingBlobs()
    const node = TestNode.nodeLayer({ dispatches: false }).pipe(
      Layer.provideMerge(blobs.layer),
      Layer.provideMerge(TestNode.storeLayer)
    )
    return Effect.gen(function* () {
      const { erase, resume } = yield* Eraser
      const { fileId, id } = yield* Erased.completed(Erased.large)
      const before = yield* Facts.snapshot(id)
      for (const failures of [1, 2]) {
        yield* blobs.fail(failures)
        const error = yield* Effect.flip(failures === 1 ? erase(id, "requested") : resume(id))
        assert.strictEqual(error._tag, "BlobStoreError")
        assert.notInclude(yield* Erased.readable(id, before), Erased.secret)
        assert.notInclude(yield* Facts.types(id), "ErasedFilesRemoved")
      }
      yield* resume(id)
      assert.isNull(yield* blobSize(id, "input"))
      assert.strictEqual(yield* fileState(fileId), "gone")
      assert.include(yield* Facts.types(id), "ErasedFilesRemoved")
    }).pipe(Effect.provide(node))
  })

  it.effect("whose chunks cannot be removed loses its files at once, and is completed by a repeat", () => {
    const chunks = OutputChunks.failing()
    const node = TestNode.nodeLayer({ dispatches: false }).pipe(
      Layer.provideMerge(chunks.layer),
      Layer.provideMerge(TestNode.storeLayer)
    )
    return Effect.gen(function* () {
      const { erase, resume } = yield* Eraser
      const { fileId, id } = yield* Erased.completed(Erased.large)
      chunks.fail(true)
      const error = yield* Effect.flip(erase(id, "requested"))
      assert.strictEqual(error._tag, "BlobStoreError")
      assert.isNull(yield* blobSize(id, "input"))
      assert.strictEqual(yield* fileState(fileId), "gone")
      assert.notInclude(yield* Facts.types(id), "ErasedFilesRemoved")
      chunks.fail(false)
      yield* resume(id)
      assert.include(yield* Facts.types(id), "ErasedFilesRemoved")
    }).pipe(Effect.provide(node))
  })

  it.effect("without a recorded end is repeated without harm", () =>
    Effect.gen(function* () {
      const { erase, resume } = yield* Eraser
      const { fileId, id } = yield* Erased.completed(Erased.large)
      const faults = yield* AppendFaults
      faults.fail("ErasedFilesRemoved", 1)
      const error = yield* Effect.flip(erase(id, "requested"))
      assert.strictEqual(error._tag, "EventStoreError")
      assert.strictEqual(yield* fileState(fileId), "gone")
      yield* resume(id)
      assert.include(yield* Facts.types(id), "ErasedFilesRemoved")
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not cache a payload that was read during the erasing", () =>
    Effect.gen(function* () {
      const { erase } = yield* Eraser
      const payloads = yield* Payload.Payloads
      const id = yield* Erased.completedWithoutFile()
      const { request } = yield* Facts.snapshot(id)
      const ref = request.submitted.payloads.input
      const open = Effect.suspend(() => Effect.result(payloads.open(Erased.streamOf(id), "input", ref)))
      yield* Effect.all([open, erase(id, "requested"), open], { concurrency: 3 })
      assert.strictEqual((yield* open)._tag, "Failure")
      const { state } = yield* (yield* RequestActors).current(id)
      assert.deepInclude(state, {
        erasure: { at: 0, reason: "requested", erased: ["input", "output"], hasFiles: false }
      })
    }).pipe(Effect.provide(layer))
  )
})
