/** Erased text leaves the disk with the commit that records the erasure. */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { EventStore } from "#streams/EventStore.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as Reads from "#streams/sqlite/Reads.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { eventData, inlinePayload } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"

const secret = "what nobody is to know"

/** Whether any file of the log contains the text. */
const isOnDisk = (directory: string, text = secret) =>
  [...DataDirectory.snapshot(directory).values()].some((bytes) => bytes.includes(text))

/** Includes the work of each second. The writer handles messages in order and rejects this append after it. */
const secondPasses = Effect.gen(function* () {
  yield* TestClock.adjust("1 second")
  const store = yield* EventStore
  const stream = DataDirectory.stream("none")
  const expected = ExpectedVersion.exactly(ExpectedVersion.trustedVersion("0"))
  const refused = yield* Effect.flip(store.append({ stream, expected, events: [eventData("never")] }))
  assert.strictEqual(refused._tag, "WrongExpectedVersion")
})

/** A log with the secret among other texts, in rows and pages of its own, in the database and the WAL. */
const withSecrets = Effect.fnUntraced(function* (directory: string) {
  for (const [index, id] of ["a", "b", "c", "d"].entries()) {
    yield* DataDirectory.appendPayload(`other-${id}`, `o${index}`, "known".repeat(100))
    yield* DataDirectory.appendPayload(id, `e${index}`, secret.repeat(index % 2 === 0 ? 1 : 2_000))
    if (id === "b") TamperedLog.withDatabase(directory, (db) => db.exec("PRAGMA wal_checkpoint"))
  }
})

const eraseSecrets = Effect.forEach(["a", "b", "c", "d"], (id) => DataDirectory.erase(id))

const presentIn = (id: string) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.map(store.payload(DataDirectory.stream(id), "input"), (record) => record !== null)
  )

describe("An erased payload", () => {
  it.effect("is in no byte of the log's files a second later, and the log verifies", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          yield* withSecrets(directory)
          assert.isTrue(isOnDisk(directory))
          yield* eraseSecrets
          yield* secondPasses
          assert.isFalse(isOnDisk(directory))
          assert.isTrue(isOnDisk(directory, "known".repeat(100)))
        })
      )
      assert.deepInclude(yield* DataDirectory.verify(directory), {
        events: 12,
        payloads: 4,
        erasedPayloads: 4
      })
    })
  )

  it.effect("is in no byte of them if the process was killed right after the commit", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const directory = DataDirectory.restore(parent, "killed", new Map())
      const crashed = yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          yield* withSecrets(directory)
          yield* eraseSecrets
          return DataDirectory.snapshot(directory)
        })
      )
      const reopened = DataDirectory.restore(parent, "reopened", crashed)
      assert.isTrue(isOnDisk(reopened))
      yield* DataDirectory.own(
        reopened,
        Effect.map(secondPasses, () => assert.isFalse(isOnDisk(reopened)))
      )
    })
  )

  it.effect("waits for a reader that still sees it, without delaying appends", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          yield* withSecrets(directory)
          const { log: filename } = DataDirectory.files(directory)
          const reader = Database.open({ filename, readOnly: true, synchronous: "FULL" })
          reader.exec("BEGIN; SELECT count(*) FROM payloads")
          yield* eraseSecrets
          yield* secondPasses
          assert.isTrue(isOnDisk(directory))
          yield* DataDirectory.append("later", "l1")
          yield* secondPasses
          assert.isTrue(isOnDisk(directory))
          reader.close()
          yield* secondPasses
          assert.isFalse(isOnDisk(directory))
        })
      )
      assert.deepInclude(yield* DataDirectory.verify(directory), { events: 13, erasedPayloads: 4 })
    })
  )

  it.effect("is off the disk if the log is closed at once", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { log: filename } = DataDirectory.files(directory)
      yield* DataDirectory.own(directory, DataDirectory.append("first", "f1"))
      // SQLite would do this itself when the last connection closes.
      const reader = Database.open({ filename, readOnly: true, synchronous: "FULL" })
      reader.exec("SELECT count(*) FROM events")
      yield* DataDirectory.own(directory, Effect.andThen(withSecrets(directory), eraseSecrets))
      assert.isFalse(isOnDisk(directory))
      reader.close()
    })
  )

  it.live("stays, without a tombstone on the log, if the append fails, also within a batch", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          const store = yield* EventStore
          for (const id of ["a", "b", "c"]) yield* DataDirectory.appendPayload(id, `${id}1`, secret)
          const taken = inlinePayload("taken", "1")
          yield* DataDirectory.append("b", "b2", {}, [taken])
          const exits = yield* Effect.forEach(
            [DataDirectory.erase("a"), DataDirectory.erase("b", [taken]), DataDirectory.erase("c")],
            Effect.exit,
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
          assert.deepStrictEqual(yield* Effect.forEach(["a", "b", "c"], presentIn), [false, true, false])
          assert.lengthOf(yield* store.read(DataDirectory.stream("b")), 2)
        })
      )
    })
  )

  it.live("is gone with its tombstone, or exists without it, wherever a crash cut the WAL", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const directory = DataDirectory.restore(parent, "written", new Map())
      yield* DataDirectory.own(directory, DataDirectory.appendPayload("a", "e1", secret.repeat(500)))
      const crashed = yield* DataDirectory.own(
        directory,
        Effect.map(DataDirectory.erase("a"), () => DataDirectory.snapshot(directory))
      )
      const wal = crashed.get("log.sqlite-wal") ?? Buffer.alloc(0)
      const seen = new Set<string>()
      for (let length = wal.length; length >= 0; length -= 103) {
        const cut = new Map(crashed).set("log.sqlite-wal", wal.subarray(0, length))
        const filename = path.join(DataDirectory.restore(parent, `cut${length}`, cut), "log.sqlite")
        const db = Database.open({ filename, synchronous: "FULL" })
        const reads = Reads.make(db)
        const hasRecord = reads.payload("Thing-a", "input") !== null
        seen.add(`${reads.head()} events, ${hasRecord ? "one" : "no"} record`)
        db.close()
      }
      assert.deepStrictEqual([...seen].sort(), ["1 events, one record", "2 events, no record"])
    })
  )
})
