/** A verification names the place of any change in the files of a log. */
import * as fs from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as fc from "fast-check"
import * as EventChain from "#streams/EventChain.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as LogHead from "#streams/LogHead.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"

const scope = Scope.makeUnsafe()
let untouched = ""

beforeAll(() =>
  Effect.gen(function* () {
    untouched = yield* Scope.provide(TempDirectory.make, scope)
    yield* DataDirectory.own(untouched, TamperedLog.write)
  }).pipe(Effect.runPromise)
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const copy = Effect.map(TempDirectory.make, (directory) => {
  fs.cpSync(untouched, directory, { recursive: true })
  return directory
})

/** A copy of the log after the statements. */
const altered = (sql: string) =>
  Effect.tap(copy, (directory) =>
    Effect.sync(() => TamperedLog.withDatabase(directory, (db) => db.exec(sql)))
  )

const brokenAt = (position: string, reason: RegExp, directory: string) =>
  Effect.map(Effect.flip(DataDirectory.verify(directory)), (broken) => {
    assert.deepInclude(broken, { _tag: "LogBroken", position })
    assert.match(broken.message, reason)
  })

const finds = (what: string, sql: string, position: string, reason: RegExp) =>
  it.live(what, () => Effect.flatMap(altered(sql), (directory) => brokenAt(position, reason, directory)))

const noMatch = /does not match its hash/
describe("Verifying a data directory", () => {
  it.live("accepts an unchanged directory", () =>
    Effect.gen(function* () {
      const { events, payloads } = yield* DataDirectory.verify(yield* copy)
      assert.deepStrictEqual({ events, payloads }, { events: 9, payloads: 2 })
    })
  )

  finds(
    "finds an altered character of the data",
    "UPDATE events SET data = replace(data, 'second', 'zecond') WHERE position = 3",
    "3",
    noMatch
  )
  finds("finds an altered id", "UPDATE events SET id = 'e4' WHERE position = 3", "3", noMatch)
  finds("finds an altered type", "UPDATE events SET type = 'happened' WHERE position = 3", "3", noMatch)
  finds("finds an altered time", "UPDATE events SET time = time + 1 WHERE position = 3", "3", noMatch)
  finds("finds an altered hash", "UPDATE events SET hash = lower(hash) WHERE position = 3", "3", noMatch)
  finds(
    "finds an event that was given to another stream",
    "UPDATE events SET stream = 'Thing-b', ordinal = 2 WHERE position = 3",
    "3",
    /before it in its stream Thing-b is missing/
  )
  finds(
    "finds an event that was given to a stream of its own",
    "UPDATE events SET stream = 'Thing-own', ordinal = 0 WHERE position = 3",
    "3",
    noMatch
  )

  finds(
    "finds an altered payload",
    "UPDATE payloads SET text = replace(text, 'small', 'snall')",
    "4",
    /the payload input does not match its hash/
  )
  finds(
    "finds an altered salt",
    "UPDATE payloads SET salt = lower(salt)",
    "4",
    /payload input does not match/
  )
  finds(
    "finds an altered size of a payload",
    "UPDATE payloads SET size = size + 1 WHERE blob IS NOT NULL",
    "6",
    /payload input does not match/
  )
  finds(
    "finds a payload that is gone without a tombstone",
    "DELETE FROM payloads WHERE stream = 'Thing-small'",
    "4",
    /the payload input is missing and was not erased/
  )

  finds(
    "finds a deleted event in the middle of a stream",
    "DELETE FROM events WHERE position = 3",
    "4",
    /events before it are missing/
  )
  finds(
    "finds a deleted event also when the events after it were moved up",
    TamperedLog.closeUp(3),
    "6",
    /before it in its stream Thing-a is missing/
  )
  finds(
    "finds a deleted stream",
    "DELETE FROM events WHERE stream = 'Thing-alone'",
    "6",
    /events before it are missing/
  )
  finds(
    "finds a deleted stream also when the events after it were moved up",
    TamperedLog.closeUp(5),
    "8",
    /the log ends here, but log.head names an event at position 9/
  )
  finds(
    "finds a tail that was cut off",
    "DELETE FROM events WHERE position > 6",
    "6",
    /the log ends here, but log.head names an event at position 9/
  )
  finds(
    "finds a log that was emptied",
    "DELETE FROM events",
    "0",
    /the log ends here, but log.head names an event at position 9/
  )
  finds(
    "finds two events of a stream that changed places",
    TamperedLog.swap(1, 3),
    "1",
    /before it in its stream Thing-a is missing/
  )
  finds(
    "finds two events of different streams that changed places",
    TamperedLog.swap(4, 5),
    "9",
    /the digest does not match log.head/
  )
  finds(
    "finds an event that was never appended",
    "INSERT INTO events VALUES (10, 'Thing-c', 1, 'e10', 'Happened', 1, '{}', 'hash')",
    "10",
    noMatch
  )

  it.live("detects an altered byte of a blob, and a missing blob", () =>
    Effect.gen(function* () {
      const directory = yield* copy
      const [blob] = fs.globSync(`${directory}/files/payloads/**/input-*`)
      const file = String(blob)
      const bytes = fs.readFileSync(file)
      fs.writeFileSync(file, bytes.with(100, (bytes[100] ?? 0) ^ 1))
      yield* brokenAt("6", /the payload input does not match its hash/, directory)
      fs.rmSync(file)
      yield* brokenAt("6", /the payload input is missing and was not erased/, directory)
    })
  )

  it.live("accepts an erased payload with its tombstone on the log", () =>
    Effect.gen(function* () {
      const directory = yield* altered("DELETE FROM payloads WHERE stream = 'Thing-small'")
      yield* DataDirectory.own(
        directory,
        Effect.flatMap(EventStore, (store) =>
          store.append({
            stream: DataDirectory.stream("small"),
            expected: ExpectedVersion.Any,
            events: [eventData("e10", "PayloadsErased", { erased: ["input"] })]
          })
        )
      )
      const { events, payloads, erasedPayloads } = yield* DataDirectory.verify(directory)
      assert.deepStrictEqual(
        { events, payloads, erasedPayloads },
        { events: 10, payloads: 1, erasedPayloads: 1 }
      )
    })
  )

  it.live("detects a rewritten chain only by log.head, and with a rewritten log.head only by an anchor", () =>
    Effect.gen(function* () {
      const { digest } = yield* DataDirectory.verify(untouched)
      const directory = yield* copy
      const forged = { stream: StreamName.make("Thing", "c"), ordinal: 0, id: "e9", type: "Happened" }
      const text = '{"text":"forged"}'
      const hash = EventChain.hash(EventChain.origin, { ...forged, time: 1_700_000_000_000, text })
      TamperedLog.withDatabase(directory, (db) =>
        db.prepare("UPDATE events SET data = ?, hash = ? WHERE position = 9").run(text, hash)
      )
      yield* brokenAt("9", /the digest does not match log.head/, directory)
      fs.rmSync(DataDirectory.files(directory).head)
      const forgedDigest = (yield* DataDirectory.verify(directory)).digest
      const head = LogHead.open(DataDirectory.files(directory).head)
      head.write({ sequence: 9, digest: forgedDigest })
      head.close()
      assert.strictEqual((yield* DataDirectory.verify(directory)).digest, forgedDigest)
      const anchors = [{ source: "--expect", position: GlobalPosition.GlobalPosition.make("9"), digest }]
      const broken = yield* Effect.flip(DataDirectory.verify(directory, { anchors }))
      assert.deepInclude(broken, { _tag: "LogBroken", position: "9" })
      assert.match(broken.message, /the digest does not match --expect/)
      assert.strictEqual((yield* DataDirectory.verify(untouched, { anchors })).events, 9)
    })
  )

  it.live("detects an altered byte in the file itself, in the row or in the index", () =>
    Effect.gen(function* () {
      const bytes = fs.readFileSync(DataDirectory.files(untouched).log)
      const alter = Effect.fnUntraced(function* (offset: number) {
        const directory = yield* copy
        fs.writeFileSync(DataDirectory.files(directory).log, bytes.with(offset, (bytes[offset] ?? 0) ^ 1))
        return directory
      })
      yield* brokenAt("7", noMatch, yield* alter(bytes.indexOf("the third of a")))
      const inRowAndIndex = [...offsets(bytes, "Thing-alone")]
      assert.isAtLeast(inRowAndIndex.length, 2)
      for (const offset of inRowAndIndex) {
        const broken = yield* Effect.flip(DataDirectory.verify(yield* alter(offset + 8)))
        assert.strictEqual(broken._tag, "LogBroken")
      }
    })
  )

  it.live("detects any single altered character in any text of any event", () =>
    Effect.gen(function* () {
      const directory = yield* copy
      const column = fc.constantFrom("stream", "id", "type", "data", "hash")
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 9 }),
            column,
            fc.nat(),
            fc.integer({ min: 33, max: 126 }),
            async (position, column, place, code) => {
              let before = ""
              const set = (text: string) =>
                TamperedLog.withDatabase(directory, (db) =>
                  db.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(text, position)
                )
              TamperedLog.withDatabase(directory, (db) => {
                const row = db
                  .prepare(`SELECT ${column} AS text FROM events WHERE position = ?`)
                  .get(position)
                before = String(row?.["text"])
              })
              const at = place % before.length
              const after = before.slice(0, at) + String.fromCharCode(code) + before.slice(at + 1)
              fc.pre(after !== before)
              // An ordinal that the other stream already has: SQLite itself rejects that.
              try {
                set(after)
              } catch {
                fc.pre(false)
              }
              const exit = await Effect.runPromiseExit(DataDirectory.verify(directory))
              set(before)
              assert.isTrue(Exit.isFailure(exit))
            }
          ),
          { numRuns: 150 }
        )
      )
      assert.strictEqual((yield* DataDirectory.verify(directory)).events, 9)
    })
  )
})

function* offsets(bytes: Buffer, text: string) {
  for (let offset = bytes.indexOf(text); offset !== -1; offset = bytes.indexOf(text, offset + 1)) yield offset
}
