import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type * as Archiving from "#src/features/archive/Archiving.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { ArchiveWriter } from "#streams/sqlite/archive/ArchiveWriter.ts"
import * as Compacting from "#streams/sqlite/archive/Compacting.ts"
import { files } from "#streams/sqlite/LogFiles.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"

/** Numbers that look random and are the same in each run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A log of `count` events, one millisecond apart: keys that are reserved once or again, and streams that stay. */
const fill = (count: number, next: (below: number) => number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    (time) =>
      next(5) === 0 ? ArchivedLog.happen(`t${next(20)}`, time) : ArchivedLog.reserve(`k${next(count)}`, time),
    { concurrency: 64, discard: true }
  )

const count = 1_000

/** Bytes of a segment, of which the log has some. */
const segmentBytes = 26_000

const logOf = Effect.fnUntraced(function* (seed: number) {
  const directory = yield* TempDirectory.make
  yield* ArchivedLog.owned(directory, fill(count, numbers(seed)))
  return directory
})

const rowsIn = (directory: string) => {
  const db = new DatabaseSync(files(directory).log, { readOnly: true })
  const found = Number(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"])
  db.close()
  return found
}

const segmentsIn = (directory: string) =>
  fs
    .readdirSync(ArchivedLog.folder(directory))
    .filter((name) => name.startsWith("segment-"))
    .sort()

describe("An archived log", () => {
  for (const seed of [1, 2]) {
    it.live(`is read and verified as before, archived at several times (${seed})`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const directory = yield* logOf(seed)
          const before = yield* ArchivedLog.seenByAll(directory, count)
          const next = numbers(seed + 100)
          const cuts = [next(count), next(count), next(count), count].sort((a, b) => a - b)
          for (const cut of cuts)
            yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, cut, segmentBytes))
          assert.isBelow(rowsIn(directory), count / 2)
          assert.isAbove(segmentsIn(directory).length, 3)
          assert.deepStrictEqual(yield* ArchivedLog.seenByAll(directory, count), before)
          const { events } = yield* DataDirectory.verify(directory)
          assert.strictEqual(events, count + segmentsIn(directory).length)
        })
      )
    )
  }

  it.live("refuses a stream that exists only in the archive, and continues it at its version", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(4)
        yield* ArchivedLog.owned(directory, ArchivedLog.reserve("one", count + 1))
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count + 1))
        yield* ArchivedLog.owned(
          directory,
          Effect.gen(function* () {
            const store = yield* EventStore
            const append = (expected: ExpectedVersion.ExpectedVersion) =>
              store.append({
                stream: ArchivedLog.key("one"),
                expected,
                events: [
                  {
                    id: "again",
                    type: "KeyReserved",
                    time: count + 2,
                    data: { requestId: "r".repeat(21), requestHash: "h", expiresAt: count + 3 }
                  }
                ]
              })
            assert.strictEqual(
              (yield* Effect.flip(append(ExpectedVersion.NoStream)))._tag,
              "WrongExpectedVersion"
            )
            const [first] = yield* store.read(ArchivedLog.key("one"))
            assert.isDefined(first)
            const { version } = first
            yield* append(ExpectedVersion.exactly(version))
            assert.strictEqual(
              (yield* Effect.flip(append(ExpectedVersion.exactly(version))))._tag,
              "WrongExpectedVersion"
            )
            const events = yield* store.read(ArchivedLog.key("one"))
            assert.deepStrictEqual(
              events.map(({ ordinal }) => ordinal),
              [0, 1]
            )
            assert.strictEqual(EventChain.hash(first.hash, events[1] ?? first), events[1]?.hash)
            assert.lengthOf(yield* store.read(ArchivedLog.key("one"), version), 1)
          })
        )
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count + 2))
        yield* DataDirectory.verify(directory)
      })
    )
  )

  it.live("refuses a stream that this process has archived, although it never held its tail", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(4)
        yield* ArchivedLog.owned(directory, ArchivedLog.reserve("one", count + 1))
        yield* ArchivedLog.owned(
          directory,
          Effect.gen(function* () {
            yield* ArchivedLog.archive(directory, count + 1)
            const store = yield* EventStore
            const append = store.append({
              stream: ArchivedLog.key("one"),
              expected: ExpectedVersion.NoStream,
              events: [{ id: "again", type: "KeyReserved", time: count + 2, data: {} }]
            })
            assert.strictEqual((yield* Effect.flip(append))._tag, "WrongExpectedVersion")
          })
        )
      })
    )
  )

  it.live("is archived one segment a call, and no event of a page is left out", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(5)
        let after: number | null = 0
        let calls = 0
        while (after !== null) {
          const options = { after, maxSegments: 1, pageSize: 130 }
          const archived: Archiving.Archived = yield* ArchivedLog.owned(
            directory,
            ArchivedLog.archive(directory, count, 7_000, options)
          )
          assert.isAtMost(archived.segments, 1)
          after = archived.next
          calls++
        }
        assert.isAbove(calls, 3)
        const rest = yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count))
        assert.include(rest, { segments: 0, events: 0 })
      })
    )
  )

  it.live("is finished after an interruption at each step", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(5)
        const before = yield* ArchivedLog.seenByAll(directory, count)
        // Each run stops at a later step: a write of a segment or the move of a frame.
        for (const steps of [0, 1, 2, 4, 7]) {
          let left = steps
          const stop = Effect.suspend(() => (left-- <= 0 ? Effect.die("stopped") : Effect.void))
          yield* ArchivedLog.owned(
            directory,
            Effect.gen(function* () {
              const blobs = yield* BlobStore
              const writer = yield* ArchiveWriter
              const stopping = ArchivedLog.archive(directory, count, segmentBytes).pipe(
                Effect.provideService(BlobStore, {
                  ...blobs,
                  put: (key, body) => Effect.tap(blobs.put(key, body), () => stop)
                }),
                Effect.provideService(ArchiveWriter, {
                  ...writer,
                  archive: (frame) =>
                    Effect.andThen(
                      stop,
                      Effect.tap(writer.archive(frame), () => stop)
                    )
                })
              )
              yield* Effect.exit(stopping)
            })
          )
          assert.deepStrictEqual(yield* ArchivedLog.seenByAll(directory, count), before)
          yield* DataDirectory.verify(directory)
        }
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count, segmentBytes))
        assert.deepStrictEqual(yield* ArchivedLog.seenByAll(directory, count), before)
        yield* DataDirectory.verify(directory)
        const segments = yield* ArchivedLog.owned(directory, ArchivedLog.segments)
        const archived = segments.reduce((sum, { events }) => sum + events, 0)
        // No event is in two segments.
        assert.strictEqual(archived + rowsIn(directory), count + segments.length)
      })
    )
  )

  it.live("names a segment that is damaged or missing, and never reads less", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(6)
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count, segmentBytes))
        const [, name = ""] = segmentsIn(directory)
        assert.notStrictEqual(name, "")
        const file = path.join(ArchivedLog.folder(directory), name)
        const bytes = fs.readFileSync(file)
        for (const at of [40, bytes.length - 20]) {
          const flipped = Buffer.from(bytes)
          flipped[at] = (flipped[at] ?? 0) ^ 1
          fs.writeFileSync(file, flipped)
          assert.include((yield* Effect.flip(DataDirectory.verify(directory))).message, name)
        }
        fs.rmSync(file)
        assert.include((yield* Effect.flip(DataDirectory.verify(directory))).message, name)
        const read = Effect.flatMap(EventReader, (reader) =>
          Stream.runDrain(reader.readAll(GlobalPosition.beginning))
        )
        const error = yield* Effect.flip(ArchivedLog.owned(directory, read))
        assert.strictEqual(error._tag, "EventStoreError")
        assert.include(error.message, name)
        fs.writeFileSync(file, bytes)
        yield* DataDirectory.verify(directory)
      })
    )
  )

  it.live("finds rows that were changed so that they hide archived events", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(7)
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count))
        const db = new DatabaseSync(files(directory).log)
        db.exec(
          "UPDATE archived SET ordinal = ordinal + 1, hash = 'x' WHERE stream = (SELECT min(stream) FROM archived)"
        )
        db.exec("DELETE FROM archived WHERE stream = (SELECT max(stream) FROM archived)")
        db.close()
        assert.include((yield* Effect.flip(DataDirectory.verify(directory))).message, "is archived")
      })
    )
  )

  it.live("shrinks, and its digest is computed from the archive when log.head is missing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const { log } = files(directory)
        const times = Array.from({ length: count }, (_, index) => index)
        const reserve = (time: number) => ArchivedLog.reserve(`k${time % 100}`, time)
        yield* ArchivedLog.owned(
          directory,
          Effect.forEach(times, reserve, { concurrency: 64, discard: true })
        )
        const size = fs.statSync(log).size
        yield* ArchivedLog.owned(directory, ArchivedLog.archive(directory, count))
        assert.isBelow(fs.statSync(log).size, size / 4)
        yield* Compacting.run(directory)
        fs.rmSync(files(directory).head)
        yield* ArchivedLog.owned(directory, ArchivedLog.happen("last", count + 9))
        yield* DataDirectory.verify(directory)
      })
    )
  )

  it.live("is followed without a gap while it is archived", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* logOf(9)
        yield* ArchivedLog.owned(
          directory,
          Effect.gen(function* () {
            const reader = yield* EventReader
            const following = yield* reader.subscribe(GlobalPosition.beginning).pipe(
              Stream.rechunk(1),
              Stream.tap(() => Effect.yieldNow),
              Stream.take(count),
              Stream.map(({ position }) => Number(position)),
              Stream.runCollect,
              Effect.forkChild
            )
            yield* ArchivedLog.archive(directory, count, segmentBytes)
            const positions = yield* Fiber.join(following)
            assert.deepStrictEqual(
              positions,
              Array.from({ length: count }, (_, index) => index + 1)
            )
          })
        )
      })
    )
  )
})
