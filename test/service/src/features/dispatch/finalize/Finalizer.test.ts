import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Json } from "#domain/CanonicalJson.ts"
import { FileId, type RequestId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { billingStatus, cost, failure, outcome, status } from "#domain/inference-request/Status.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
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

const node = TestNode.layer({ models: [gallery] })

/** What the client sees of it. */
const told = Effect.fnUntraced(function* (id: RequestId) {
  const { request } = yield* Facts.snapshot(id)
  return {
    status: status(request),
    outcome: outcome(request),
    billing: billingStatus(request),
    cost: Money.format(cost(request)),
    error: failure(request)
  }
})

const outputOf = Effect.fnUntraced(function* (id: RequestId) {
  const { output } = yield* (yield* Requests).payloads(yield* Facts.snapshot(id))
  return output
})

const isRemoved = Effect.fnUntraced(function* (id: string) {
  const { state } = yield* (yield* FileActors).current(FileId.make(id))
  const size = yield* (yield* BlobStore).size(`media/${id}`)
  return state._tag === "Gone" && size === null
})

const planned = (id: RequestId) =>
  Effect.map(Facts.untilType(id, "OutputReceived"), ({ media = [] }) => media)

describe("A request whose output names files", () => {
  it.effect("is completed and charged when they are stored, with our URLs in its output", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const { url } = yield* server()
      const id = yield* ended([`${url}/first.php?token=1`, `${url}/second`])
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(yield* Facts.types(id), [
        "RequestSubmitted",
        "DispatchStarted",
        "OutputReceived",
        "MediaStored",
        "RequestCompleted"
      ])
      assert.deepStrictEqual(yield* told(id), {
        status: "COMPLETED",
        outcome: "succeeded",
        billing: "charged",
        cost: "0.006",
        error: null
      })
      const { media } = (yield* Facts.snapshot(id)).request
      assert.deepStrictEqual(
        media.map(({ path, fileName, contentType, size, owned }) => ({
          path,
          fileName,
          contentType,
          size,
          owned
        })),
        ["/images/0/url", "/images/1/url"].map((path, index) => ({
          path,
          fileName: `output-${index}.png`,
          contentType: "image/png",
          size: picture.length,
          owned: true
        }))
      )
      const [first] = media
      const opened = yield* store.open(FileId.make(first?.fileId ?? ""))
      const bytes = yield* Stream.mkUint8Array(opened?.body ?? Stream.empty)
      assert.isTrue(picture.equals(bytes))
      const thumbnail = yield* store.find(FileId.make(first?.thumbnailId ?? ""))
      assert.strictEqual(thumbnail?.contentType, "image/webp")
      assert.deepStrictEqual<Json>(yield* outputOf(id), {
        images: media.map(({ fileId, fileName }) => ({
          url: `https://media.test/media/${fileId}/${fileName}`,
          note: "a note"
        }))
      })
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("is charged for the delivered units", () =>
    Effect.gen(function* () {
      const { url } = yield* server()
      const id = yield* ended([`${url}/only`], 1)
      yield* Facts.untilEnd(id)
      const { billing, cost, outcome } = yield* told(id)
      assert.deepStrictEqual(
        { billing, cost, outcome },
        { billing: "partial", cost: "0.003", outcome: "partial" }
      )
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("leaves a file of this service unchanged", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const uploaded = yield* store.put({
        ...MediaServices.made,
        fileName: "mine.png",
        contentType: "image/png",
        body: picture
      })
      const id = yield* ended([uploaded.url])
      yield* Facts.untilEnd(id)
      const { media } = (yield* Facts.snapshot(id)).request
      assert.deepStrictEqual(
        media.map(({ fileId, owned }) => [fileId, owned]),
        [[uploaded.id, false]]
      )
      assert.deepStrictEqual<Json>(yield* outputOf(id), { images: [{ url: uploaded.url, note: "a note" }] })
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("is not billed when a file has a forbidden address, and stores no file", () =>
    Effect.gen(function* () {
      const { url } = yield* server()
      const id = yield* ended([`${url}/good`, "https://10.0.0.1/secret"])
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(yield* told(id), {
        status: "COMPLETED",
        outcome: "provider_failed",
        billing: "failed",
        cost: "0",
        error:
          "The output names a file at an address that may not be called. Its place in the output is /images/1/url."
      })
      const ids = (yield* planned(id)).flatMap(({ fileId, thumbnailId }) => [fileId, thumbnailId])
      // They are removed when the end is on the log.
      const areRemoved = Effect.map(Effect.forEach(ids, isRemoved), (removed) => removed.every(Boolean))
      yield* Effect.repeat(Effect.andThen(nextTurn, areRemoved), { until: (removed) => removed })
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("is completed with files behind redirects, and with URLs as browsers write them", () =>
    Effect.gen(function* () {
      const { url } = yield* server(({ url = "" }, response) => {
        if (["/hop5", "/b%C3%A4r%20%E7%86%8A.png?q=a%20b"].includes(url)) return false
        response.writeHead(302, { location: `hop${Number(url.at(-1)) + 1}` }).end()
        return true
      })
      const id = yield* ended([`${url}/hop0`, `${url}/bär 熊.png?q=a b`])
      yield* Facts.untilEnd(id)
      assert.deepInclude(yield* told(id), { status: "COMPLETED", outcome: "succeeded", error: null })
      const { media } = (yield* Facts.snapshot(id)).request
      assert.deepStrictEqual(
        media.map(({ size }) => size),
        [picture.length, picture.length]
      )
    }).pipe(Effect.scoped, Effect.provide(node))
  )

  for (const [what, answer, error] of [
    ...[401, 403, 410].map(
      (status) =>
        [
          `is refused with ${status}`,
          (response: Http.ServerResponse) => response.writeHead(status).end(),
          `The server of a file in the output refused to give it. It answered with status ${status}.`
        ] as const
    ),
    [
      "redirects without end",
      (response) => response.writeHead(302, { location: "?again" }).end(),
      "The output names a file behind more than five redirects, or behind one that leads nowhere."
    ],
    [
      "redirects to plain http",
      (response) => response.writeHead(302, { location: "http://receiver.example.com/" }).end(),
      "The output names a file by a URL that is not https, or that redirects to one."
    ]
  ] as const satisfies ReadonlyArray<readonly [string, (response: Http.ServerResponse) => unknown, string]>)
    it.effect(`ends at once, with the reason, when a file ${what}`, () =>
      Effect.gen(function* () {
        const { url } = yield* server((request, response) => {
          if (request.url === "/there") return false
          answer(response)
          return true
        })
        const id = yield* ended([`${url}/there`, url])
        yield* Facts.untilEnd(id)
        assert.deepInclude(yield* told(id), {
          status: "COMPLETED",
          outcome: "provider_failed",
          billing: "failed",
          cost: "0",
          error: `${error} Its place in the output is /images/1/url.`
        })
        assert.notInclude(yield* Facts.types(id), "SweepRetried")
      }).pipe(Effect.scoped, Effect.provide(node))
    )

  it.effect(
    "asks again for a file that is not there yet, for two seconds, and then ends with the reason",
    () =>
      Effect.gen(function* () {
        const { calls, url } = yield* server((request, response, call) => {
          if (request.url !== "/later" || call > 2) return false
          response.writeHead(404).end()
          return true
        })
        const found = yield* ended([`${url}/later`])
        const passed = Effect.andThen(nextTurn, TestClock.adjust("10 millis"))
        const isOver = (id: RequestId) => Effect.map(told(id), ({ outcome }) => outcome !== "pending")
        yield* Effect.repeat(Effect.andThen(passed, isOver(found)), { until: (over) => over })
        assert.deepInclude(yield* told(found), { outcome: "succeeded", error: null })
        assert.strictEqual(calls(), 3)

        const gone = yield* server((request, response) => {
          if (request.url !== "/gone") return false
          response.writeHead(404).end()
          return true
        })
        const lost = yield* ended([`${gone.url}/there`, `${gone.url}/gone`])
        yield* Effect.repeat(Effect.andThen(passed, isOver(lost)), { until: (over) => over })
        assert.deepInclude(yield* told(lost), {
          status: "COMPLETED",
          outcome: "provider_failed",
          billing: "failed",
          cost: "0",
          error:
            "The server of a file in the output refused to give it. It answered with status 404. Its place in the output is /images/1/url."
        })
        assert.strictEqual(gone.calls(), 4)
        for (const id of [found, lost]) assert.notInclude(yield* Facts.types(id), "SweepRetried")
        const [there] = yield* planned(lost)
        yield* Effect.repeat(Effect.andThen(nextTurn, isRemoved(there?.fileId ?? "")), {
          until: (removed) => removed
        })
      }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect(
    "fails without a charge, with the status and the place, when a host is away for some minutes",
    () =>
      Effect.gen(function* () {
        const finalizer = yield* Finalizer
        const { url } = yield* server((request, response) => {
          if (request.url !== "/away") return false
          response.writeHead(503).end()
          return true
        })
        const id = yield* ended([`${url}/there`, `${url}/away`])
        for (const minutes of [1, 2, 4]) {
          yield* Facts.untilType(id, "SweepRetried")
          yield* Effect.repeat(nextTurn, { until: () => !finalizer.has(id) })
          yield* TestClock.adjust(`${minutes} minutes`)
          yield* finalizer.start(id)
        }
        yield* Facts.untilEnd(id)
        const error =
          "A file in the output could not be downloaded. It answered with status 503. Its place in the output is /images/1/url."
        const unbilled = { billing: "failed", cost: "0" } as const
        assert.deepInclude(yield* told(id), { status: "FAILED", outcome: "failed", ...unbilled, error })
        assert.deepStrictEqual((yield* Facts.types(id)).slice(-4), [
          "SweepRetried",
          "SweepRetried",
          "SweepRetried",
          "RequestFailed"
        ])
      }).pipe(Effect.provide(node))
  )

  it.effect(
    "waits for an unreachable server, counting one retry, and is then stored under the same ids",
    () =>
      Effect.gen(function* () {
        const finalizer = yield* Finalizer
        const { url } = yield* server((_, response, call) => {
          if (call > 1) return false
          response.writeHead(503).end()
          return true
        })
        const id = yield* ended([`${url}/later`])
        const { dueAt, reason, retry } = yield* Facts.untilType(id, "SweepRetried")
        assert.deepStrictEqual([dueAt, reason, retry], [60_000, "media_missing", 1])
        assert.strictEqual((yield* told(id)).status, "IN_PROGRESS")
        yield* TestClock.adjust("1 minute")
        yield* finalizer.start(id)
        yield* Facts.untilEnd(id)
        const { media } = (yield* Facts.snapshot(id)).request
        assert.deepStrictEqual(
          media.map(({ fileId }) => fileId),
          (yield* planned(id)).map(({ fileId }) => fileId)
        )
        assert.strictEqual((yield* told(id)).billing, "charged")
      }).pipe(Effect.scoped, Effect.provide(node))
  )

  it.effect("leaves no file when it ends for another reason meanwhile", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const provider = yield* TestProvider
      const finalizer = yield* Finalizer
      const store = yield* MediaStore
      const asked = yield* Deferred.make<() => void>()
      const { url } = yield* server((_, response) =>
        Deferred.doneUnsafe(
          asked,
          Effect.succeed(() => response.end(picture))
        )
      )
      const { id } = yield* requests.submit({
        ...Facts.submission({ model: gallery }),
        deadlines: { startTimeoutMs: null, cancelAfterMs: 5_000 }
      })
      yield* (yield* provider.next).ends(delivered({ images: [{ url: `${url}/slow` }] }))
      const [plan] = yield* planned(id)
      const answer = yield* Deferred.await(asked)
      yield* Effect.forkScoped(TestClock.adjust("5 seconds"))
      yield* Facts.untilType(id, "RequestCancelled")
      answer()
      yield* Effect.repeat(nextTurn, { until: () => !finalizer.has(id) })
      // It was stored and removed, so it is gone rather than unknown.
      const found = yield* Effect.flip(store.find(FileId.make(plan?.fileId ?? "")))
      assert.strictEqual(found._tag, "MediaGone")
      assert.strictEqual((yield* told(id)).outcome, "expired")
      assert.deepStrictEqual(Facts.ofType(yield* Facts.events(id), "MediaStored"), [])
    }).pipe(Effect.scoped, Effect.provide(node))
  )
})
