/** The files of an erased account. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Account from "#domain/account/Account.ts"
import * as File from "#domain/file/File.ts"
import type { FileId } from "#domain/Ids.ts"
import { Retention } from "#projections/retention/Retention.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RetentionSweep } from "#src/features/retention/RetentionSweep.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { verify } from "#streams/Verify.ts"
import * as Erased from "#test/support/src/features/retention/Erased.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const { alice, bob } = Library

const erasing = RetentionSweep.layerNoReactor.pipe(
  Layer.provideMerge(AccountErasing.layer),
  Layer.provide(FileSweep.layer),
  Layer.provide(Retention.layer),
  Layer.provide(Layer.succeed(TakesRequests, true))
)

const pass = Effect.flatMap(RetentionSweep, ({ pass }) => pass)
const nothing = { expired: 0, resumed: 0, ofAccounts: 0, files: 0, failed: 0 }

const hasEnded = Effect.gen(function* () {
  const stream = StreamName.make(Account.aggregate.category, alice.accountId)
  const events = yield* (yield* EventReader).read(stream)
  return events.some(({ type }) => type === "AccountErasureFinished")
})

/** One of each kind; the last one is Bob's. */
const scene = Effect.gen(function* () {
  const accounts = yield* TestAccounts
  yield* accounts.open(alice.accountId)
  yield* accounts.open(bob.accountId)
  const fileName = "jane.doe@example.com.png"
  const uploaded = yield* Library.uploaded("purr", { fileName })
  const { id: pending } = yield* Library.initiate({ fileName })
  const upload = yield* Library.initiateMultipart({ fileName })
  yield* Library.putPart(upload, 1, "a")
  const parts = yield* Library.initiateMultipart({ fileName })
  yield* Library.complete(parts, yield* Library.putPart(parts, 1, "a"))
  const maker = { ...MediaServices.made.maker, accountId: alice.accountId }
  const file = { ...MediaServices.made, maker, contentType: "text/plain", body: Buffer.from("made") }
  const { put } = yield* MediaStore
  const { id: output } = yield* put({ ...file, fileName: "a.txt" })
  const { id: thumbnail } = yield* put({ ...file, kind: "thumbnail", fileName: "a.webp" })
  const others = yield* Library.uploaded("mine", { caller: bob })
  return { hers: [uploaded, pending, upload.id, parts.id, output, thumbnail], others }
})

const assertGone = Effect.fnUntraced(function* (ids: ReadonlyArray<FileId>) {
  const reader = yield* EventReader
  const payloads = yield* Payloads
  for (const id of ids) {
    assert.strictEqual(yield* Library.read(id), "gone")
    assert.deepStrictEqual(yield* Library.blobsOf(id), [])
    const stream = StreamName.make(File.aggregate.category, id)
    assert.isNull(yield* reader.payload(stream, File.namePayload))
    for (const event of (yield* reader.read(stream)).map(File.aggregate.codec.decode)) {
      if (event._tag !== "UploadInitiated") continue
      const name = yield* Effect.flip(payloads.open(stream, File.namePayload, event.payloads.name))
      assert.deepInclude(name, { _tag: "PayloadUnavailable", reason: "erased" })
    }
  }
})

describe("The files of an erased account", () => {
  it.effect("are deleted with their names before its erasure finishes; other accounts' files stay", () =>
    Effect.gen(function* () {
      const { hers, others } = yield* scene
      const before = yield* verify()
      assert.deepInclude(before, { payloads: 5, erasedPayloads: 0 })
      yield* (yield* AccountErasing).close(alice.accountId)
      assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 6 })
      yield* assertGone(hers)
      assert.isFalse(yield* hasEnded)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* pass, nothing)
      assert.isTrue(yield* hasEnded)
      assert.strictEqual(yield* Library.read(others), "mine")
      assert.deepStrictEqual(yield* Library.ids({ caller: bob }), [others])
      assert.deepInclude(yield* verify(), { payloads: 1, erasedPayloads: 4 })
    }).pipe(Effect.provide(erasing.pipe(Layer.provideMerge(Library.local()))))
  )

  it.effect("delay its erasure until every byte is deleted", () => {
    const blobs = Erased.failingBlobs()
    return Effect.gen(function* () {
      const { hers } = yield* scene
      yield* (yield* AccountErasing).close(alice.accountId)
      yield* TestClock.adjust("2 minutes")
      yield* blobs.fail(1_000_000)
      for (let round = 1; round <= 3; round++) {
        assert.isAbove((yield* pass).failed, 0)
        for (const id of hers) assert.strictEqual(yield* Library.read(id), "gone")
        assert.isFalse(yield* hasEnded, `after round ${round}`)
      }
      yield* blobs.fail(0)
      yield* pass
      yield* assertGone(hers)
      assert.isTrue(yield* hasEnded)
    }).pipe(
      Effect.provide(
        erasing.pipe(
          Layer.provideMerge(TestNode.nodeLayer({ dispatches: false })),
          Layer.provideMerge(blobs.layer.pipe(Layer.provideMerge(Library.folder)))
        )
      )
    )
  })

  it.effect("delay its erasure while their list is unknown", () =>
    Effect.gen(function* () {
      const { hers } = yield* scene
      yield* (yield* AccountErasing).close(alice.accountId)
      yield* TestClock.adjust("2 minutes")
      // The read model of files stops at an unreadable event.
      yield* (yield* EventStore).append({
        stream: StreamName.make(File.aggregate.category, "x".repeat(24)),
        expected: ExpectedVersion.Any,
        events: [{ ...eventData("broken", "UploadInitiated"), data: { broken: true } }]
      })
      assert.isAbove((yield* pass).failed, 0)
      assert.isFalse(yield* hasEnded)
      assert.lengthOf(hers, 6)
    }).pipe(Effect.provide(erasing.pipe(Layer.provideMerge(Library.local()))))
  )
})
