import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "@effect/vitest"
import * as EventStoreTarget from "#streams/copy/EventStoreTarget.ts"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import type { Anchor } from "#streams/Verify.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TamperedLog from "#test/support/streams/sqlite/TamperedLog.ts"
import * as CopiedLogs from "#test/support/streams/copy/CopiedLogs.ts"

/** Copies a tampered log of nine events. Returns the failure and the copied events. */
const copyTampered = Effect.fnUntraced(function* (sql: string, more: ReadonlyArray<Anchor> = []) {
  const directory = yield* TempDirectory.make
  yield* DataDirectory.own(directory, TamperedLog.write)
  TamperedLog.withDatabase(directory, (db) => db.exec(sql))
  const reader = SqliteEventReader.layer({ filename: DataDirectory.files(directory).log })
  const source = Context.get(yield* Layer.build(reader), EventReader)
  const store = Context.get(yield* Layer.build(Layer.fresh(MemoryEventStore.layer)), EventStore)
  const target = EventStoreTarget.make(store, { sharesCommits: false })
  const anchors = [...(yield* SqliteVerify.headAnchor(directory)), ...more]
  const { message } = yield* Effect.flip(LogCopy.copy({ source, target, anchors }))
  return { message, copied: (yield* CopiedLogs.events(target.reading)).length }
}, Effect.scoped)

const cases = [
  {
    what: "whose event was changed, and copies nothing of its page",
    sql: `UPDATE events SET data = '{"text":"other"}' WHERE position = 3`,
    message: "The log is broken at position 3: the event does not match its hash",
    copied: 0
  },
  {
    what: "that lacks an event of a stream",
    sql: TamperedLog.closeUp(3),
    message: "The log is broken at position 6: an event before it in its stream is missing",
    copied: 0
  },
  {
    what: "that lacks a stream, by its log.head",
    sql: TamperedLog.closeUp(5),
    message: "The log is broken at position 8: the log ends here, but log.head names a later event",
    copied: 8
  },
  {
    what: "whose order was changed, by its log.head",
    sql: TamperedLog.swap(1, 2),
    message: "The log is broken at position 9: the digest does not match log.head",
    copied: 0
  },
  {
    what: "whose payload was changed",
    sql: `UPDATE payloads SET text = '{"text":"other"}' WHERE stream = 'Thing-small'`,
    message: "The log is broken at position 4: the payload input does not match its hash",
    copied: 0
  }
]

describe("A copy", () => {
  it.live.each(cases)("rejects a source $what", ({ copied, message, sql }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* copyTampered(sql), { message, copied })
    })
  )

  it.live("rejects a source that contradicts an anchor", () =>
    Effect.gen(function* () {
      const anchor = { source: "a note", position: GlobalPosition.GlobalPosition.make("2"), digest: "other" }
      const { message } = yield* copyTampered("SELECT 1", [anchor])
      assert.strictEqual(message, "The log is broken at position 2: the digest does not match a note")
    })
  )
})
