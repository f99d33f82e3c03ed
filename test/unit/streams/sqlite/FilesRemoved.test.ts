/** SQLite continues to write into removed files; the log must not acknowledge such writes. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { LogFailure } from "#streams/LogFailure.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as StreamName from "#streams/StreamName.ts"
import { many } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const append = (store: EventStore["Service"]) =>
  store.append({ stream: StreamName.make("Thing", "a"), expected: ExpectedVersion.Any, events: many("e", 1) })

const replace = (filename: string) => {
  fs.copyFileSync(filename, `${filename}.copy`)
  fs.renameSync(`${filename}.copy`, filename)
}

describe("A log whose files are removed while it is open", () => {
  it.effect.each([
    ["its directory is removed", (directory: string) => fs.rmSync(directory, { recursive: true })],
    ["log.sqlite is removed", (directory: string) => fs.rmSync(`${directory}/log.sqlite`)],
    ["log.sqlite is replaced by a copy", (directory: string) => replace(`${directory}/log.sqlite`)],
    ["log.head is removed", (directory: string) => fs.rmSync(`${directory}/log.head`)]
  ] as const)("takes no more appends within a second when %s", ([, take]) =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const services = yield* Layer.build(SqliteEventStore.layer(directory))
      const store = Context.get(services, EventStore)
      yield* append(store)
      take(directory)
      yield* TestClock.adjust("1 second")
      const told = yield* Effect.flip(Context.get(services, LogFailure).await)
      assert.match(told.message, /was removed or replaced while it was in use/)
      assert.strictEqual((yield* Effect.flip(append(store))).message, told.message)
    })
  )
})
