/** Projections combine the changes of a batch before they write; the rows must not depend on the batches. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import { units } from "#domain/Money.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { dump, settle } from "#test/support/projections/ReadSide.ts"
import { deliver, scheduled } from "#test/support/projections/deliveries/DeliveryLog.ts"
import * as Files from "#test/support/projections/files/FileLog.ts"
import * as AccountLog from "#test/support/projections/ledger/AccountLog.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"

const inDirectory = <A, E>(
  body: (filename: string) => Effect.Effect<A, E, Layer.Success<typeof MemoryEventStore.layer>>
) =>
  Effect.flatMap(TempDirectory.make, (directory) => body(`${directory}/projections.sqlite`)).pipe(
    Effect.scoped,
    Effect.provide(MemoryEventStore.layer)
  )

const submit = (number: number) =>
  Log.append(number, Log.submitted(number % 2 === 0 ? Log.alice : Log.bob, Log.echo, Log.t0 + number))

/** Every path of a request, step by step, interleaved with other requests. */
const lives = Effect.gen(function* () {
  yield* AccountLog.topUp(Log.alice, "25")
  for (const number of [1, 2, 3, 4, 5, 6, 7]) yield* submit(number)
  for (const number of [1, 2, 3, 4, 5]) yield* Log.append(number, Log.dispatched(1, Log.t0 + 10))
  yield* Log.append(1, { _tag: "ProviderAccepted", at: Log.t0 + 11, attempt: 1, jobId: "job-1" })
  for (const number of [1, 2, 3]) yield* Log.append(number, Log.started(1, Log.t0 + 20))
  yield* Log.append(2, Log.requeued(1, Log.t0 + 500, Log.t0 + 30))
  yield* Log.append(3, { _tag: "CancelRequested", at: Log.t0 + 31 })
  yield* Log.append(4, Log.requeued(1, Log.t0 + 600))
  yield* Log.append(5, {
    _tag: "RequestFailed",
    at: Log.t0 + 40,
    attempt: 1,
    reason: "refused",
    message: "no"
  })
  yield* Log.append(6, { _tag: "RequestCancelled", at: Log.t0 + 41, reason: "requested" })
  yield* AccountLog.topUp(Log.bob, "0.5")
  yield* AccountLog.limit(Log.bob, "3", 7)
  yield* Log.append(2, Log.dispatched(2, Log.t0 + 501), Log.started(2, Log.t0 + 502))
  yield* Log.append(1, {
    _tag: "OutputRejected",
    at: Log.t0 + 600,
    attempt: 1,
    violations: [{ instancePath: "", message: "must be object" }]
  })
  yield* withDeadlines
  yield* Log.append(1, Log.completed(1, Log.t0 + 600))
  yield* Log.append(2, Log.completed(2, Log.t0 + 700))
  for (const [number, hasFiles] of [
    [2, true],
    [5, true],
    [6, false]
  ] as const) {
    yield* Log.append(number, {
      _tag: "PayloadsErased",
      at: Log.t0 + 800,
      reason: "requested",
      erased: ["input"],
      hasFiles
    })
  }
  yield* Log.append(5, { _tag: "ErasedFilesRemoved", at: Log.t0 + 801 })
  yield* withWebhooks
  yield* withFiles
})

/** Of five files two remain, and one is to be removed: the payload of its name is erased, like those of requests. */
const withFiles = Effect.gen(function* () {
  yield* Files.perform(1, Files.initiate())
  yield* Files.perform(2, Files.keep())
  yield* Files.perform(3, Files.initiate(), Files.complete(80))
  yield* Files.perform(1, Files.complete(40))
  yield* Files.perform(2, Files.keep({ stored: Files.stored(9) }))
  yield* Files.perform(3, Files.remove())
  yield* Files.perform(4, Files.keep(), Files.remove("request_erased"))
  yield* Files.perform(5, Files.remove("discarded"))
})

/** Requests with webhooks for both events: one is left with an owed start, one with an owed end. */
const withWebhooks = Effect.gen(function* () {
  const webhook = { url: "https://one.example", events: ["start", "completed"], filtered: true } as const
  for (const number of [11, 12, 13]) {
    yield* Log.append(number, { ...Log.submitted(Log.bob, Log.slow), webhook }, Log.dispatched(1))
    yield* Log.append(number, Log.started(1))
  }
  yield* deliver(1, scheduled(12, { event: "start" }))
  yield* Log.append(11, Log.completed(1))
  yield* Log.append(12, Log.completed(1))
  yield* deliver(2, scheduled(12, { event: "completed" }))
  yield* Log.append(13, Log.requeued(1, Log.t0 + 5), Log.dispatched(2), Log.started(2))
})

const retried = (attempt: number, reason: "lost" | "media_missing") =>
  ({ _tag: "SweepRetried", at: Log.t0 + 650, attempt, reason, retry: 1, dueAt: Log.t0 + 660 }) as const

/** Of three requests one is left claimed and one finalizing; one has failed. */
const withDeadlines = Effect.gen(function* () {
  for (const number of [8, 9, 10]) {
    const { t0 } = Log
    const deadlines = { startBy: t0 + 1_000, endBy: t0 + 2_000 }
    yield* Log.append(number, { ...Log.submitted(Log.alice, Log.slow), deadlines, expectedMs: 10 })
    yield* Log.append(number, Log.dispatched(1, Log.t0 + 610))
  }
  yield* Log.append(8, retried(1, "lost"))
  yield* Log.append(9, Log.started(1, Log.t0 + 620))
  yield* Log.append(8, Log.dispatched(2, Log.t0 + 660))
  yield* Log.append(9, {
    _tag: "OutputReceived",
    at: Log.t0 + 630,
    attempt: 1,
    delivered: units(1),
    media: [{ path: "/url", fileId: "file", thumbnailId: "thumbnail" }],
    payloads: { output: { hash: "hash", size: 2 } }
  })
  yield* Log.append(10, retried(1, "lost"))
  yield* Log.append(8, Log.started(2, Log.t0 + 670))
  yield* Log.append(9, retried(1, "media_missing"))
  yield* Log.append(10, {
    _tag: "RequestForceFailed",
    at: Log.t0 + 680,
    attempt: 1,
    retries: 5,
    message: "It could not be brought to an end."
  })
})

/** Applies the events `size` at a time and returns the rows. */
const rowsOf = (filename: string, events: ReadonlyArray<RecordedEvent>, size: number) => {
  assert.deepStrictEqual(applyAll(filename, allProjections, cut(events, size)), [])
  return dump(filename)
}

describe("A batch", () => {
  it.effect("leaves the same rows wherever the log is divided", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        yield* lives
        const reader = yield* EventReader
        const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
        const oneByOne = rowsOf(filename, events, 1)
        assert.lengthOf(oneByOne["history_requests"] ?? [], 13)
        assert.lengthOf(oneByOne["duework_requests"] ?? [], 6)
        assert.deepStrictEqual(oneByOne["duework_owed"], [
          { request_id: Log.requestId(11), event: "completed" },
          { request_id: Log.requestId(13), event: "start" }
        ])
        assert.lengthOf(oneByOne["deliveries_deliveries"] ?? [], 2)
        assert.deepStrictEqual(oneByOne["retention_requests"], [
          { request_id: Log.requestId(1) },
          { request_id: Log.requestId(10) },
          { request_id: Log.requestId(11) },
          { request_id: Log.requestId(12) }
        ])
        assert.deepStrictEqual(oneByOne["retention_removals"], [{ request_id: Log.requestId(2) }])
        assert.lengthOf(oneByOne["files_files"] ?? [], 2)
        assert.deepStrictEqual(oneByOne["files_bytes"], [{ account_id: Log.alice, bytes: 49 }])
        assert.deepStrictEqual(oneByOne["files_removals"], [{ file_id: Files.fileId(3) }])
        assert.lengthOf(oneByOne["ledger_holds"] ?? [], 6)
        assert.lengthOf(oneByOne["ledger_entries"] ?? [], 22)
        for (const size of [2, 3, 7, 11, events.length]) {
          assert.deepStrictEqual(rowsOf(filename, events, size), oneByOne, `${size} at a time`)
        }
      })
    )
  )

  for (const between of [0, 600]) {
    it.live(
      `stops a projection before a request that is submitted twice, ${between} requests after the first time`,
      () =>
        inDirectory((filename) =>
          Effect.gen(function* () {
            yield* submit(0)
            for (let number = 1; number <= between; number++) yield* submit(number)
            const last = yield* (yield* EventReader).head
            yield* submit(0)
            yield* submit(1_000)
            yield* Effect.gen(function* () {
              yield* settle("keys")
              const states = yield* (yield* Projections).states
              for (const name of ["history", "duework", "ledger"]) {
                assert.deepInclude(states.get(name), { position: last, stopped: true }, name)
              }
            }).pipe(Effect.provide(Projections.layerInProcess({ filename })))
            const rows = dump(filename)
            assert.lengthOf(rows["history_requests"] ?? [], between + 1)
            assert.lengthOf(rows["duework_requests"] ?? [], between + 1)
            assert.deepInclude(rows["duework_depth"]?.[0], { queued: between + 1 })
            assert.lengthOf(rows["ledger_holds"] ?? [], between + 1)
            assert.lengthOf(rows["ledger_entries"] ?? [], between + 1)
          })
        )
    )
  }
})
