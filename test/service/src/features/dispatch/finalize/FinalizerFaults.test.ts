import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as File from "#domain/file/File.ts"
import type { FileId, RequestId } from "#domain/Ids.ts"
import { billingStatus, status } from "#domain/inference-request/Status.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  delivered,
  ended,
  gallery,
  nextTurn,
  picture,
  server
} from "#test/support/src/features/dispatch/finalize/MediaModel.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const statusOf = (id: RequestId) => Effect.map(Facts.snapshot(id), ({ request }) => status(request))

/** Submits a request with a deadline in 5 s whose run stores a picture. */
const withOwnFile = Effect.fnUntraced(function* () {
  const { id } = yield* (yield* Requests).submit({
    ...Facts.submission({ model: gallery }),
    deadlines: { startTimeoutMs: null, cancelAfterMs: 5_000 }
  })
  const run = yield* (yield* TestProvider).next
  const file = {
    ...MediaServices.made,
    maker: { ...MediaServices.made.maker, requestId: id },
    fileName: "cat.png",
    contentType: "image/png",
    body: picture
  }
  return { id, run, own: yield* (yield* MediaStore).put(file) }
})

const isGone = Effect.fnUntraced(function* (id: FileId) {
  const found = yield* Effect.result((yield* MediaStore).find(id))
  return Result.isFailure(found) && found.failure._tag === "MediaGone"
})

describe("A stored file of a run", () => {
  it.effect("is removed when the run ends too late", () =>
    Effect.gen(function* () {
      const { id, own, run } = yield* withOwnFile()
      yield* TestClock.adjust("5 seconds")
      yield* Facts.untilType(id, "RequestCancelled")
      yield* run.ends(delivered({ images: [{ url: own.url }] }))
      yield* Facts.untilType(id, "LateOutcomeIgnored")
      yield* Effect.repeat(Effect.andThen(nextTurn, isGone(own.id)), { until: (gone) => gone })
    }).pipe(Effect.provide(TestNode.layer({ models: [gallery] })))
  )

  it.effect("is erased with the request's payloads when the request ended before all files were stored", () =>
    Effect.gen(function* () {
      const isAsked = yield* Deferred.make<void>()
      const { url } = yield* server(() => Deferred.doneUnsafe(isAsked, Effect.void))
      const first = yield* TestNode.start({ name: "first", models: [gallery] })
      const { id, own, run } = yield* first.on(withOwnFile())
      yield* first.on(run.ends(delivered({ images: [{ url: own.url }, { url: `${url}/never` }] })))
      yield* Deferred.await(isAsked)
      yield* first.crash
      yield* first.stop
      const heir = yield* TestNode.start({ name: "heir", models: [gallery] })
      yield* TestClock.adjust("5 seconds")
      yield* heir.on(Facts.untilType(id, "RequestCancelled"))
      yield* heir.on(Effect.flatMap(Eraser, ({ erase }) => erase(id, "requested")))
      assert.isTrue(yield* heir.on(isGone(own.id)))
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})

describe("Storing the files of an output", () => {
  it.effect("counts a retry when a file cannot be read, and thus ends", () =>
    Effect.gen(function* () {
      const fileId = MediaUrl.makeId()
      yield* (yield* EventStore).append({
        stream: StreamName.make(File.aggregate.category, fileId),
        expected: ExpectedVersion.Any,
        events: [eventData("future", "FileTeleported")]
      })
      const id = yield* ended([`https://media.test/media/${fileId}/cat.png`])
      const { reason, retry } = yield* Facts.untilType(id, "SweepRetried")
      assert.deepStrictEqual([reason, retry], ["media_missing", 1])
      assert.strictEqual(yield* statusOf(id), "IN_PROGRESS")
    }).pipe(Effect.provide(TestNode.layer({ models: [gallery] })))
  )

  it.effect("begins at once even when the append of the output seemed to fail", () =>
    Effect.gen(function* () {
      const { url } = yield* server()
      ;(yield* AppendFaults).fail("OutputReceived", 1, "stored unheard")
      const id = yield* ended([`${url}/cat`])
      yield* Facts.untilType(id, "OutputReceived")
      yield* TestClock.adjust("1 second")
      yield* Facts.untilEnd(id)
      assert.lengthOf(Facts.ofType(yield* Facts.events(id), "OutputReceived"), 1)
    }).pipe(Effect.scoped, Effect.provide(TestNode.layer({ models: [gallery] })))
  )

  it.effect("stores one output when it already names our files", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { url } = yield* store.put({
        ...MediaServices.made,
        fileName: "cat.png",
        contentType: "image/png",
        body: picture
      })
      const id = yield* ended([url, url])
      yield* Facts.untilEnd(id)
      const [stored] = Facts.ofType(yield* Facts.events(id), "MediaStored")
      assert.lengthOf(stored?.media ?? [], 2)
      assert.isUndefined(stored?.payloads)
    }).pipe(Effect.provide(TestNode.layer({ models: [gallery] })))
  )

  it.effect("ends at once when its node stops, and the next node continues without counting a retry", () =>
    Effect.gen(function* () {
      const isAsked = yield* Deferred.make<void>()
      const { url } = yield* server((_, response, call) => {
        if (call > 1) return false
        response.writeHead(200).write(picture.subarray(0, 100))
        Deferred.doneUnsafe(isAsked, Effect.void)
        return true
      })
      const first = yield* TestNode.start({ name: "first", models: [gallery] })
      const id = yield* first.on(ended([`${url}/slow`]))
      yield* Deferred.await(isAsked)
      yield* first.stop
      const heir = yield* TestNode.start({ name: "heir", models: [gallery], sweeps: true })
      yield* heir.on(Facts.untilEnd(id))
      assert.notInclude(yield* heir.on(Facts.types(id)), "SweepRetried")
      const { request } = yield* heir.on(Facts.snapshot(id))
      assert.strictEqual(billingStatus(request), "charged")
    }).pipe(Effect.scoped, Effect.provide(TestNode.storeLayer))
  )
})
